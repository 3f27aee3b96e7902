/// <reference types="vite/client" />
import { identityFromToken } from "convex-embedded";
import { isRateLimitError } from "convex-rate-limiter";
import { register } from "convex-rate-limiter/test";
import { convexTest } from "convex-test";
import { ConvexError } from "convex/values";
import { Scrypt } from "lucia";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { api, internal } from "../../example/convex/_generated/api.js";
import schema from "../../example/convex/schema.js";
import { setUpAuth } from "../../example/startExample.js";

const modules = import.meta.glob("../../example/convex/**/*.{ts,js}");

beforeAll(() => setUpAuth("https://example.convex.site"));
beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12, 30) });
});
afterEach(() => {
  vi.useRealTimers();
});

// Hashing is slow, so only one test does it.
beforeEach(() => {
  vi.spyOn(Scrypt.prototype, "hash").mockImplementation(
    async (secret) => `of ${secret}`,
  );
  vi.spyOn(Scrypt.prototype, "verify").mockImplementation(
    async (hash, secret) => hash === `of ${secret}`,
  );
});
afterEach(() => void vi.restoreAllMocks());

const PASSWORD = "correct horse";

/** The app, and ways to enter it. */
function start() {
  const t = convexTest(schema, modules);
  register(t);
  const enter = async (
    flow: "signUp" | "signIn",
    name: string,
    password = PASSWORD,
  ) => {
    const params = { flow, name, password };
    const { tokens } = await t.action(api.auth.signIn, {
      provider: "password",
      params,
    });
    return t.withIdentity(identityFromToken(tokens!.token));
  };
  /** Somebody who has an account and is signed in, without the work of hashing a password. */
  const add = async (name: string) => {
    const userId = await t.run(async (ctx) => {
      const userId = await ctx.db.insert("users", { name });
      const providerAccountId = name.toLowerCase();
      const account = { userId, provider: "password", providerAccountId };
      await ctx.db.insert("authAccounts", account);
      return userId;
    });
    const signIn = (session: string) =>
      t.withIdentity({ subject: `${userId}|${session}` });
    return { ...signIn("first"), signIn };
  };
  return { t, enter, add };
}

/** The data of the error that a call fails with, which is all that a production client sees. */
async function refusal(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.catch((e: unknown) => e);
  if (error instanceof ConvexError) return error.data;
  throw new Error("It was not refused with a ConvexError.", { cause: error });
}

test("five guesses lock an account for twelve minutes, whoever guesses", async () => {
  const { enter } = start();
  for (let i = 0; i < 5; i++) {
    expect(await refusal(enter("signIn", "Ada"))).toEqual({
      kind: "WrongPassword",
    });
  }
  const locked = await enter("signIn", "ADA").catch((e: unknown) => e);
  expect(isRateLimitError(locked) && locked.data).toMatchObject({
    name: "failedLogins",
    retryAfter: 720_000,
  });
  vi.advanceTimersByTime(720_000);
  await enter("signUp", "Ada");
});

test("a right password does not count, but is refused while an account is locked", async () => {
  const { t, enter } = start();
  await enter("signUp", "Ada");
  for (let i = 0; i < 5; i++) {
    expect(await refusal(enter("signIn", "Ada", "wrong horse"))).toEqual({
      kind: "WrongPassword",
    });
    if (i === 0) await enter("signIn", "Ada");
  }
  expect(await refusal(enter("signIn", "Ada"))).toMatchObject({
    kind: "RateLimited",
  });
  await t.mutation(internal.operators.unlock, { name: "Ada" });
  await enter("signIn", "Ada");
});

test("a password is hashed, and only the right one fits", async () => {
  vi.restoreAllMocks();
  const { t, enter } = start();
  await enter("signUp", "Ada");
  const wrong = enter("signIn", "Ada", "wrong horse");
  expect(await refusal(wrong)).toEqual({ kind: "WrongPassword" });
  await enter("signIn", "Ada");
  const accounts = await t.run((ctx) => ctx.db.query("authAccounts").collect());
  expect(JSON.stringify(accounts)).not.toContain(PASSWORD);
});

test("signing up again reveals nothing of the password", async () => {
  const { enter } = start();
  await enter("signUp", "Ada");
  for (const password of [PASSWORD, "wrong horse"]) {
    expect(await refusal(enter("signUp", "ADA", password))).toEqual({
      kind: "NameTaken",
    });
  }
});

test("bad names and passwords are refused as BadInput", async () => {
  const { enter } = start();
  expect(await refusal(enter("signUp", "A b"))).toMatchObject({
    kind: "BadInput",
  });
  expect(await refusal(enter("signUp", "Ada", "short"))).toMatchObject({
    kind: "BadInput",
  });
});

test("a user sends three messages at once, however often they sign in", async () => {
  const { add } = start();
  const first = await add("Ada");
  const send = (ada: Pick<typeof first, "mutation"> = first) =>
    ada.mutation(api.messages.send, { text: "Hi" });
  for (let i = 0; i < 3; i++) expect(await send()).toEqual({ ok: true });
  const denied = { ok: false, retryAfter: 6_000 };
  expect(await send()).toEqual(denied);
  expect(await send(first.signIn("second"))).toEqual(denied);
  vi.advanceTimersByTime(6_000);
  expect(await send()).toEqual({ ok: true });
  expect(await first.query(api.messages.list)).toHaveLength(4);
});

test("a caller who is not signed in can neither read nor send, nor see a limit", async () => {
  const { t } = start();
  for (const call of [
    () => t.query(api.messages.list),
    () => t.mutation(api.messages.send, { text: "Hi" }),
    () => t.query(api.messages.getRateLimit, {}),
    () => t.mutation(api.answers.ask, { question: "Why?" }),
    () => t.mutation(api.mail.queue, { text: "Hi" }),
  ]) {
    expect(await refusal(call())).toEqual({ kind: "SignedOut" });
  }
});

test("an answer costs what it used, and nothing if it fails", async () => {
  const { t, add } = start();
  const ada = await add("Ada");
  const left = async () =>
    (await ada.query(api.answers.getRateLimit, {})).value;
  const ask = async (question: string) => {
    await ada.mutation(api.answers.ask, { question });
    expect(await left()).toBeLessThanOrEqual(1_000 - 300);
    // Not all timers at once: the last of them gives the answer up.
    await t.finishAllScheduledFunctions(() => vi.advanceTimersByTime(60_000));
  };
  await ask("Why is the sky blue?");
  expect(await left()).toBe(1_000 - 30);
  await ask("Please fail");
  expect(await left()).toBe(1_000 - 30);
  const answers = await ada.query(api.answers.list);
  expect(answers.map(({ state }) => state.kind)).toEqual(["failed", "written"]);
});

test("an answer whose action dies is given up, and costs nothing", async () => {
  const { t, add } = start();
  const ada = await add("Ada");
  await ada.mutation(api.answers.ask, { question: "Why?" });
  await t.run(async (ctx) => {
    const jobs = await ctx.db.system.query("_scheduled_functions").collect();
    const write = jobs.find(({ name }) => name === "answers:write");
    await ctx.scheduler.cancel(write!._id);
  });
  await t.finishAllScheduledFunctions(vi.runAllTimers);
  const [answer] = await ada.query(api.answers.list);
  expect(answer?.state).toEqual({ kind: "failed" });
  expect((await ada.query(api.answers.getRateLimit, {})).value).toBe(1_000);
});

test("only its owner can cancel a letter, and the next one takes its turn", async () => {
  const { add } = start();
  const [ada, bob] = [await add("Ada"), await add("Bob")];
  const queue = () => ada.mutation(api.mail.queue, { text: "Hi" });
  for (let i = 0; i < 3; i++) await queue();
  const newest = async () => (await ada.query(api.mail.list))[0]!;
  const { id, dueAt } = await newest();
  expect(dueAt).toBe(Date.now() + 10_000);
  expect(await bob.mutation(api.mail.cancel, { id })).toEqual({
    cancelled: false,
  });
  expect(await ada.mutation(api.mail.cancel, { id })).toEqual({
    cancelled: true,
  });
  await queue();
  expect(await newest()).toMatchObject({ dueAt, isSent: false });
});

test("the feed tells what is left, and answers 429 when nothing is", async () => {
  const t = start().t.withRequestMetadata({ ip: "192.0.2.1" });
  const first = await t.fetch("/feed");
  expect(await first.json()).toEqual({ messages: 0 });
  expect(first.headers.get("RateLimit")).toMatch(/^"feed";r=29;/);
  for (let i = 1; i < 30; i++) await t.fetch("/feed");
  const refused = await t.fetch("/feed");
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
});

test("operators can ban, raise and clear, and see what is used", async () => {
  const { t, add } = start();
  const ada = await add("Ada");
  const send = () => ada.mutation(api.messages.send, { text: "Hi" });
  await t.mutation(internal.operators.ban, { name: "Ada" });
  expect(await send()).toEqual({ ok: false, retryAfter: 600_000 });
  await t.mutation(internal.operators.clear, { name: "Ada" });
  await t.mutation(internal.operators.raise, { name: "Ada" });
  for (let i = 0; i < 30; i++) expect(await send()).toEqual({ ok: true });
  const paginationOpts = { numItems: 10, cursor: null };
  const { page } = await t.query(internal.operators.busiest, {
    paginationOpts,
  });
  expect(page).toMatchObject([{ balance: 0 }]);
  const hours = await t.query(internal.operators.figures, {});
  expect(hours.at(-1)).toMatchObject({ granted: 30, denied: 1 });
});

test("no verb of an operator is public", async () => {
  const functions = Object.values(
    await import("../../example/convex/operators.js"),
  );
  expect(functions.length).toBeGreaterThanOrEqual(6);
  for (const registered of functions) {
    expect(registered).toHaveProperty("isInternal", true);
    expect(registered).not.toHaveProperty("isPublic");
  }
});
