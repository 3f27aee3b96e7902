import { ConvexHttpClient } from "convex/browser";
import { describe, expect } from "vitest";
import { api } from "../convex/_generated/api.js";
import { button, section } from "./playground.js";
import { test } from "./visitor.js";

const everything = { kind: "token bucket" as const, rate: 1e9, period: 1 };

describe("the query that the hook reads", () => {
  test.for([
    ["another limit", { name: "signUp" }, "not for signUp"],
    ["a config", { config: everything }, "server's to choose"],
    ["a key that is none", { key: "../" }, "A session is"],
    ["no key", { key: undefined }, "A session is"],
  ] as const)("refuses %s", async ([, asked, refusal], { demo }) => {
    const key = "session-0001";
    const client = new ConvexHttpClient(demo.server.url);
    const ask = (args: object) =>
      client.query(api.messages.getRateLimit, { key, ...args });
    expect((await ask({})).value).toBe(3);
    await expect(ask(asked)).rejects.toThrow(refusal);
  });

  test("refuses any key where the limit has none", async ({ demo }) => {
    const client = new ConvexHttpClient(demo.server.url);
    const ask = client.query(api.accounts.getSignUpLimit, {
      key: "session-0001",
    });
    await expect(ask).rejects.toThrow("key function");
  });
});

test("the button knows of a denial before the server has to refuse", async ({
  page,
}) => {
  const place = section(page, "The limit in your own interface");
  for (const left of ["2 messages", "1 message", "0 messages"]) {
    await button(place, "Send").click();
    await place.getByText(`${left} left`).waitFor();
  }
  const wait = place.getByRole("button", { name: /^Wait \d s$/ });
  expect(await wait.getAttribute("aria-disabled")).toBe("true");
  await wait.click({ force: true });
  await expect.poll(() => place.getByRole("listitem").count()).toBe(3);
  // The page knows the server's clock to half a round trip, so it may be refused once more.
  await expect
    .poll(async () => {
      await button(place, "Send").click();
      return place.getByRole("listitem").count();
    })
    .toBeGreaterThan(3);
});
