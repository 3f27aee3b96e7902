import { isRateLimitError } from "convex-rate-limiter";
import { expect, test } from "vitest";
import { api } from "../../demo/convex/_generated/api.js";
import { newVisitor } from "./visitor.js";

test("a mutation that throws gives back what it took", async () => {
  const { session: name, http } = newVisitor();
  // A limit that all visitors share: somebody else may sign up meanwhile, or a window begin.
  const balance = async () =>
    (await http.query(api.accounts.getSignUpLimit, {})).value;
  const signUp = () => http.mutation(api.accounts.signUp, { name, pin: "1" });
  await signUp();
  const before = await balance();
  for (let i = 0; i < 5; i++) await expect(signUp()).rejects.toThrow();
  expect(await balance()).toBe(before);
});

test("throws with what the client needs to know", async () => {
  const { session, http } = newVisitor();
  const send = () =>
    http.mutation(api.messages.send, { session, text: "hello" });
  for (let i = 0; i < 3; i++) await send();
  const error: unknown = await send().catch((e: unknown) => e);
  if (!isRateLimitError(error)) throw error;
  const { retryAfter, ...data } = error.data;
  expect(data).toEqual({
    kind: "RateLimited",
    name: "sendMessage",
    key: session,
  });
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(6_000);
});

test("several limits are taken from together, or none is", async () => {
  const { session, http } = newVisitor();
  const upload = () =>
    http.mutation(api.organisations.perform, {
      session,
      user: "Ada",
      operation: "upload",
    });
  const state = () =>
    http.query(api.organisations.states, { session, user: "Ada" });
  await upload();
  await upload();
  const before = await state();
  expect(await upload()).toMatchObject({ ok: false, blockedBy: "user" });
  expect(await state()).toEqual(before);
});

test("an action estimates, and settles what it has used", async () => {
  const { http } = newVisitor();
  const prompt = "one two three four";
  expect(await http.action(api.llm.ask, { prompt })).toEqual({
    ok: true,
    text: "four three two one",
    estimated: 10,
    used: 8,
  });
});
