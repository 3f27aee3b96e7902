import {
  customAction,
  customMutation,
  customQuery,
} from "convex-helpers/server/customFunctions";
import {
  actionGeneric,
  anyApi,
  mutationGeneric,
  queryGeneric,
  type ApiFromModules,
  type MutationBuilder,
} from "convex/server";
import { v } from "convex/values";
import { expect, test } from "vitest";
import { DAY, MINUTE, RateLimiter } from "../../src/client/index.js";
import { denialOf } from "../support/denialOf.js";
import {
  components,
  startHost,
  type HostCtx,
  type HostDataModel,
} from "../support/host.js";
import { rateLimited } from "../../src/helpers/index.js";

const mutation = mutationGeneric as MutationBuilder<HostDataModel, "public">;

const rateLimiter = new RateLimiter(components.rateLimiter, {
  send: { kind: "token bucket", rate: 2, period: MINUTE },
});

const text = { text: v.string() };
const subject = async (ctx: Pick<HostCtx, "auth">) =>
  (await ctx.auth.getUserIdentity())?.subject ?? null;

const byUser = customMutation(
  mutation,
  rateLimited(rateLimiter, "send", { key: subject }),
);
const byNobody = customMutation(
  mutation,
  rateLimited(rateLimiter, "send", {
    // What code without types may do.
    key: (() => undefined) as unknown as () => string,
  }),
);
const byEmail = customMutation(
  mutation,
  rateLimited(rateLimiter, "send", {
    args: { email: v.string() },
    key: (_ctx, { email }) => email,
  }),
);

const finished: unknown[] = [];
const withUser = {
  args: { session: v.string() },
  input: async (_ctx: HostCtx, { session }: { session: string }) => ({
    ctx: { user: `user of ${session}` },
    args: { label: `[${session}]` },
    onSuccess: ({ result }: { result: unknown }) => void finished.push(result),
  }),
};
const bySession = customMutation(
  mutation,
  rateLimited(rateLimiter, "send", {
    after: withUser,
    key: (ctx, { label }) => ctx.user + label,
  }),
);

const byPlan = rateLimited(rateLimiter, "plan", {
  args: { userId: v.string() },
  key: (_ctx, { userId }) => userId,
  config: (ctx, key, { userId }) => {
    expect([key, "auth" in ctx]).toEqual([userId, true]);
    const rate = key === "paying" ? 2 : 1;
    return { kind: "fixed window", rate, period: DAY };
  },
});

const messages = {
  send: byUser({
    args: text,
    handler: async (ctx, args) => {
      await ctx.db.insert("notes", args);
      if (args.text === "fail") throw new Error("Failed");
      return args;
    },
  }),
  sendByEmail: byEmail({
    args: text,
    handler: async (_ctx, args) => args,
  }),
  sendByNobody: byNobody({ args: {}, handler: async () => null }),
  sendBySession: bySession({
    args: text,
    handler: async (ctx, args) => ({ ...args, user: ctx.user }),
  }),
  sendThree: customMutation(
    mutation,
    rateLimited(rateLimiter, "sendThree", {
      count: 3,
      config: { kind: "fixed window", rate: 5, period: MINUTE },
    }),
  )({ args: {}, handler: async () => null }),
  sendByPlan: customMutation(
    mutation,
    byPlan,
  )({ args: {}, handler: async () => "sent" }),
  listByPlan: customQuery(
    queryGeneric,
    byPlan,
  )({ args: {}, handler: async () => "listed" }),
  sendUnchecked: customMutation(
    mutation,
    rateLimited(rateLimiter, "send"),
  )(async (_ctx, args: { anything: string }) => args),
  list: customQuery(
    queryGeneric,
    rateLimited(rateLimiter, "send"),
  )({
    args: text,
    handler: async (_ctx, args) => args,
  }),
  publish: customAction(
    actionGeneric,
    rateLimited(rateLimiter, "send"),
  )({
    args: text,
    handler: async (_ctx, args) => {
      if (args.text === "fail") throw new Error("Failed");
      return args;
    },
  }),
};

const api = anyApi as unknown as ApiFromModules<{ messages: typeof messages }>;

function start() {
  const t = startHost({ modules: { "./messages.ts": async () => messages } });
  const balance = (key?: string) =>
    t.run(async (ctx) => {
      const { value } = await rateLimiter.getValue(ctx, "send", { key });
      return Math.floor(value);
    });
  return { t, balance };
}

test("a guarded mutation runs while there are tokens, then throws RateLimited", async () => {
  const { t } = start();
  const ann = t.withIdentity({ subject: "ann" });
  await ann.mutation(api.messages.send, { text: "1" });
  expect(await ann.mutation(api.messages.send, { text: "2" })).toEqual({
    text: "2",
  });
  const denial = await denialOf(ann.mutation(api.messages.send, { text: "3" }));
  expect(denial).toEqual({
    kind: "RateLimited",
    name: "send",
    retryAfter: expect.any(Number) as number,
  });
  expect(denial.retryAfter).toBeGreaterThan(0);
  const rows = await t.run((ctx) => ctx.db.query("notes").collect());
  expect(rows).toHaveLength(2);
});

test("the key null is one limit that all share", async () => {
  const { t, balance } = start();
  await t.mutation(api.messages.send, { text: "hi" });
  expect(await balance()).toBe(1);
});

test("the key undefined throws, and takes nothing", async () => {
  const { t, balance } = start();
  await expect(t.mutation(api.messages.sendByNobody, {})).rejects.toThrow(
    "Rate limit send: the key function returned undefined",
  );
  expect(await balance()).toBe(2);
});

test("the arguments that the key needs still reach the function", async () => {
  const { t, balance } = start();
  const args = { email: "ann@example.com", text: "hi" };
  expect(await t.mutation(api.messages.sendByEmail, args)).toEqual(args);
  expect(await balance("ann@example.com")).toBe(1);
});

test("a customization that comes first is kept, and its result reaches the key function", async () => {
  const { t, balance } = start();
  const result = await t.mutation(api.messages.sendBySession, {
    session: "s1",
    text: "hi",
  });
  expect(result).toEqual({ text: "hi", label: "[s1]", user: "user of s1" });
  expect(finished).toEqual([result]);
  expect(await balance("user of s1[s1]")).toBe(1);
});

test("a guard uses its own count and inline config", async () => {
  const { t } = start();
  await t.mutation(api.messages.sendThree, {});
  expect(await denialOf(t.mutation(api.messages.sendThree, {}))).toMatchObject({
    name: "sendThree",
  });
});

test("a guard uses the config that a function gives, in mutations and queries", async () => {
  const { t } = start();
  const send = (userId: string) =>
    t.mutation(api.messages.sendByPlan, { userId });
  const list = (userId: string) => t.query(api.messages.listByPlan, { userId });
  expect(await send("ada")).toBe("sent");
  await expect(send("ada")).rejects.toThrow("RateLimited");
  await expect(list("ada")).rejects.toThrow("RateLimited");
  expect(await send("paying")).toBe("sent");
  expect(await list("paying")).toBe("listed");
  expect(await send("paying")).toBe("sent");
  await expect(send("paying")).rejects.toThrow("RateLimited");
});

test("a function without validators gets its arguments", async () => {
  const { t, balance } = start();
  const args = { anything: "goes" };
  expect(await t.mutation(api.messages.sendUnchecked, args)).toEqual(args);
  expect(await balance()).toBe(1);
});

test("a guarded query takes nothing, and is denied while the limit is short", async () => {
  const { t, balance } = start();
  const list = () => t.query(api.messages.list, { text: "a" });
  for (let i = 0; i < 3; i++) expect(await list()).toEqual({ text: "a" });
  expect(await balance()).toBe(2);
  await t.run(async (ctx) => {
    await rateLimiter.charge(ctx, "send", { count: 2 });
  });
  expect(await denialOf(list())).toMatchObject({ name: "send" });
});

test("a guarded action takes its tokens even if it fails", async () => {
  const { t, balance } = start();
  const publish = (text: string) => t.action(api.messages.publish, { text });
  expect(await publish("hi")).toEqual({ text: "hi" });
  await expect(publish("fail")).rejects.toThrow("Failed");
  expect(await balance()).toBe(0);
  expect(await denialOf(publish("hi"))).toMatchObject({ name: "send" });
});

test("rateLimited throws when the module loads if its limit is undefined or only held", () => {
  const mixed = new RateLimiter(components.rateLimiter, {
    render: { kind: "concurrency", capacity: 1, lease: MINUTE },
  });
  // What code without types may do.
  const guard = rateLimited as (limiter: unknown, name: string) => unknown;
  expect(() => guard(mixed, "sned")).toThrow("Rate limit sned is not defined");
  expect(() => guard(mixed, "render")).toThrow("its tokens are only held");
});
