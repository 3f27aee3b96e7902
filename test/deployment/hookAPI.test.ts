import { expect, test } from "vitest";
import { api } from "../app/convex/_generated/api.js";
import { newVisitor, saying } from "./visitor.js";

test("the hook's API refuses another limit, a config and a malformed key", async () => {
  const { visitor: key, http } = newVisitor();
  const get = (args: typeof api.messages.getRateLimit._args) =>
    http.query(api.messages.getRateLimit, args);
  expect((await get({ key })).value).toBe(3);
  await expect(get({ key, name: "signUp" })).rejects.toThrow(
    saying("not for signUp"),
  );
  const config = { kind: "token bucket", rate: 1e9, period: 1 } as const;
  await expect(get({ key, config })).rejects.toThrow(
    saying("server's to choose"),
  );
  await expect(get({ key: "../" })).rejects.toThrow(saying("A sender is"));
  await expect(get({})).rejects.toThrow(saying("A sender is"));
  await expect(
    http.query(api.messages.getSignUpLimit, { key }),
  ).rejects.toThrow(saying("key function"));
});

test("a client can call neither internal functions nor those of the component", async () => {
  const { http } = newVisitor();
  for (const name of [
    "jobs:run",
    "denials:insert",
    "rateLimiter/lib:clearAll",
  ]) {
    await expect(http.mutation(name as never, {})).rejects.toThrow(
      saying("Could not find public function"),
    );
  }
});
