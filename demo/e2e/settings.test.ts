import { ConvexHttpClient } from "convex/browser";
import type { Locator } from "playwright-core";
import { describe, expect } from "vitest";
import { api } from "../convex/_generated/api.js";
import { button, lane, ONE_DAY_S, set } from "./playground.js";
import { test } from "./visitor.js";

const bucket = { kind: "token bucket" as const, rate: 10, period: 86_400_000 };

test("each setting acts as it is typed", async ({ page }) => {
  const { card, balance, outcome } = lane(page, "Token bucket");
  const take = async (tokens: 1 | 5) => {
    await button(page, `Take ${tokens}`).click();
    return expect.poll(() => outcome.textContent());
  };
  await set(page, { Period: ONE_DAY_S, Rate: 12 });
  await expect.poll(() => card.textContent()).toContain("12 tokens trickle in");
  await expect.poll(balance).toBe("12 of 12 tokens");
  await set(page, { Capacity: 4, "Max reserved": 0 });
  await expect.poll(balance).toBe("4 of 4 tokens");
  await (await take(5)).toBe("Never granted: 4 is the most.");
  await set(page, { Capacity: 6 });
  await (await take(5)).toBe("Granted 5 tokens.");
  await expect.poll(balance).toBe("1 of 6 tokens");
  await (await take(5)).toBe("Denied 5 tokens.");
  await set(page, { "Max reserved": 4 });
  await page.getByRole("checkbox", { name: /^Reserve/ }).check();
  await (await take(5)).toBe("Reserved 5 tokens.");
  await expect.poll(balance).toBe("−4 of 6 tokens");
  await page.getByRole("checkbox", { name: /^Dry run/ }).check();
  await (await take(1)).toBe("Dry run: would deny 1 token.");
});

const INVALID = [
  ["Rate", "0", "Above 0"],
  ["Rate", "many", "Not a number"],
  ["Rate", "", "Needs a number"],
  ["Period", "-1", "At least 0.001"],
  ["Capacity", "-1", "At least 0"],
  ["Max reserved", "NaN", "Not a number"],
  ["Shards", "2.5", "Whole, 1 to 50"],
  ["Window start", "soon", "Not a number"],
] as const;

describe("a value that is none", () => {
  test("is said to be wrong, and the settings before it stay in force", async ({
    page,
  }) => {
    const { balance, outcome } = lane(page, "Token bucket");
    await set(page, { Period: ONE_DAY_S });
    await button(page, "Take 5").click();
    await expect.poll(balance).toBe("5 of 10 tokens");
    for (const [label, value, message] of INVALID) {
      const field = page.getByLabel(label, { exact: true });
      const valid = await field.inputValue();
      await field.fill(value);
      await expect.poll(() => describedBy(field)).toBe(message);
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      expect(await balance()).toBe("5 of 10 tokens");
      await field.fill(valid);
      await expect.poll(() => field.getAttribute("aria-invalid")).toBe("false");
    }
    await set(page, { Rate: "many", Capacity: "-1" });
    await button(page, "Take 5").click();
    await expect.poll(balance).toBe("0 of 10 tokens");
    await button(page, "Take 1").click();
    await expect.poll(() => outcome.textContent()).toBe("Denied 1 token.");
  });

  test("cannot be taken as a count", async ({ page }) => {
    for (const count of ["-1", "many", ""]) {
      await page.getByLabel("Count").fill(count);
      expect(await button(page, "Take").isDisabled()).toBe(true);
      expect(await button(page, "Check").isDisabled()).toBe(true);
    }
  });

  test.for([
    ["rate", { ...bucket, rate: -1 }],
    ["rate", { ...bucket, rate: Number.NaN }],
    ["period", { ...bucket, period: 0 }],
    ["capacity", { ...bucket, capacity: Number.POSITIVE_INFINITY }],
    ["shards", { ...bucket, shards: 1.5 }],
  ] as const)(
    "is refused by the server too: %s in %o",
    async ([field, config], { demo }) => {
      const client = new ConvexHttpClient(demo.server.url);
      const session = `settings-${field}-${String(config[field as keyof typeof config]).replace(/\W/g, "_")}`;
      const call = client.mutation(api.playground.limit, { session, config });
      await expect(call).rejects.toThrow(field);
      const args = { session, config: bucket };
      const { value } = await client.query(api.playground.getValue, args);
      expect(value).toBe(10);
    },
  );
});

async function describedBy(field: Locator): Promise<string> {
  return field.evaluate(
    (element) =>
      document.getElementById(element.getAttribute("aria-describedby") ?? "")
        ?.textContent ?? "",
  );
}
