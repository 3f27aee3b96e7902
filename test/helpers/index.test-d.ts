import {
  customAction,
  customCtx,
  customMutation,
  customQuery,
} from "convex-helpers/server/customFunctions";
import {
  actionGeneric,
  queryGeneric,
  type FunctionArgs,
  type ApiFromModules,
  type GenericDataModel,
  type GenericMutationCtx,
  type MutationBuilder,
} from "convex/server";
import { v } from "convex/values";
import { expectTypeOf, test } from "vitest";
import { RateLimiter } from "../../src/client/index.js";
import { rateLimited } from "../../src/helpers/index.js";

type Ctx = GenericMutationCtx<GenericDataModel>;
declare const mutation: MutationBuilder<GenericDataModel, "public">;
declare const rateLimiter: RateLimiter<{
  send: { kind: "token bucket"; rate: 1; period: 1000 };
}>;
const config = { kind: "token bucket", rate: 1, period: 1000 } as const;

test("the ctx and the arguments of a guarded function are untouched", () => {
  const guarded = customMutation(mutation, rateLimited(rateLimiter, "send"));
  const _send = guarded({
    args: { text: v.string() },
    handler: async (ctx, args) => {
      expectTypeOf(ctx).toEqualTypeOf<Ctx>();
      expectTypeOf(args).toEqualTypeOf<{ text: string }>();
    },
  });
  type Send = ApiFromModules<{ m: { send: typeof _send } }>["m"]["send"];
  expectTypeOf<FunctionArgs<Send>>().toEqualTypeOf<{ text: string }>();
});

test("the key function sees the builder's ctx and the arguments it asks for", () => {
  const guarded = customMutation(
    mutation,
    rateLimited(rateLimiter, "send", {
      args: { email: v.string() },
      key: (ctx, args) => {
        expectTypeOf(ctx).toExtend<Ctx>();
        expectTypeOf(args).toEqualTypeOf<{ email: string }>();
        return args.email;
      },
    }),
  );
  const _send = guarded({
    args: { text: v.string() },
    handler: async (_ctx, args) => {
      expectTypeOf(args).toEqualTypeOf<{ text: string; email: string }>();
    },
  });
  type Args = FunctionArgs<
    ApiFromModules<{ m: { _send: typeof _send } }>["m"]["_send"]
  >;
  expectTypeOf<Args>().toEqualTypeOf<{ text: string; email: string }>();
});

test("what a customization adds reaches the key function and the handler", () => {
  const withUser = customCtx(async (_ctx: Ctx) => ({ user: { name: "ann" } }));
  const guarded = customMutation(
    mutation,
    rateLimited(rateLimiter, "send", {
      after: withUser,
      key: (ctx) => ctx.user.name,
    }),
  );
  guarded({
    args: {},
    handler: async (ctx) => {
      expectTypeOf(ctx.user).toEqualTypeOf<{ name: string }>();
      expectTypeOf(ctx.db).toEqualTypeOf<Ctx["db"]>();
    },
  });
});

test("a query's key function has a query's ctx", () => {
  customQuery(
    queryGeneric,
    rateLimited(rateLimiter, "send", {
      key: async (ctx) => {
        // @ts-expect-error A query cannot run mutations.
        void ctx.runMutation;
        return (await ctx.auth.getUserIdentity())?.subject ?? null;
      },
    }),
  );
});

test("a key function may return null, but not undefined", () => {
  customMutation(
    mutation,
    rateLimited(rateLimiter, "send", {
      // @ts-expect-error Whoever is not signed in has no subject.
      key: async (ctx) => (await ctx.auth.getUserIdentity())?.subject,
    }),
  );
  rateLimited(rateLimiter, "send", { key: () => null });
});

// test/types has the names that no limit has, and those of limits that are only held or want a key.
test("a name that is not defined needs a config", () => {
  rateLimited(rateLimiter, "sned", { config });
  // @ts-expect-error There is no such field.
  rateLimited(rateLimiter, "sned", { config: { ...config, capacityy: 3 } });
  const withoutLimits = new RateLimiter(rateLimiter.component);
  // @ts-expect-error None is defined.
  rateLimited(withoutLimits, "send");
  rateLimited(withoutLimits, "send", { config });
});

test("rateLimited takes no reserve, and no args beside another customization", () => {
  // @ts-expect-error A reservation is for later.
  rateLimited(rateLimiter, "send", { reserve: true });
  const after = customCtx(async (_ctx: Ctx) => ({}));
  // @ts-expect-error One or the other.
  rateLimited(rateLimiter, "send", { after, args: { email: v.string() } });
});

test("one customization without a key guards functions of every kind", () => {
  const guard = rateLimited(rateLimiter, "send");
  customMutation(mutation, guard);
  customQuery(queryGeneric, guard);
  customAction(actionGeneric, guard);
});

test("a guard takes limits of every kind that refills, and those that require a key", () => {
  const mixed = new RateLimiter(rateLimiter.component, {
    send: { ...config, requireKey: true },
    quota: { kind: "fixed window", rate: 100, period: "month" },
    render: { kind: "concurrency", capacity: 3, lease: 60_000 },
  });
  customMutation(mutation, rateLimited(mixed, "send", { key: () => "k" }));
  customMutation(mutation, rateLimited(mixed, "quota", { key: () => "k" }));
  customMutation(mutation, rateLimited(mixed, "other", { config }));
});
