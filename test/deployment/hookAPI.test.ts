import { expect, test } from "vitest";
import { api } from "../app/convex/_generated/api.js";
import { newVisitor, saying } from "./visitor.js";

const get = (
  http: ReturnType<typeof newVisitor>["http"],
  args: typeof api.messages.getRateLimit._args,
) => http.query(api.messages.getRateLimit, args);

test("the hook's API returns the balance of a key", async () => {
  const { visitor: key, http } = newVisitor();
  expect((await get(http, { key })).value).toBe(3);
});

const config = { kind: "token bucket", rate: 1e9, period: 1 } as const;

test.each<[string, (key: string) => Parameters<typeof get>[1], RegExp]>([
  [
    "another limit",
    (key) => ({ key, name: "signUp" }),
    saying("not for signUp"),
  ],
  ["a config", (key) => ({ key, config }), saying("server's to choose")],
  ["a malformed key", () => ({ key: "../" }), saying("A sender is")],
  ["no key", () => ({}), saying("A sender is")],
])("the hook's API refuses %s", async (_, argsOf, message) => {
  const { visitor, http } = newVisitor();
  await expect(get(http, argsOf(visitor))).rejects.toThrow(message);
});

test("the hook's API of a limit that all share refuses a key", async () => {
  const { visitor: key, http } = newVisitor();
  const asked = http.query(api.messages.getSignUpLimit, { key });
  await expect(asked).rejects.toThrow(saying("key function"));
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
