import {
  httpActionGeneric,
  type FunctionArgs,
  type ApiFromModules,
  type DataModelFromSchemaDefinition,
  defineSchema,
  defineTable,
  type GenericActionCtx,
  type GenericDataModel,
  type GenericMutationCtx,
  type GenericQueryCtx,
  type MutationBuilder,
} from "convex/server";
import { v, type GenericId } from "convex/values";
import { customMutation } from "convex-helpers/server/customFunctions";
import {
  limitHttp,
  MINUTE,
  RateLimiter,
  type ConcurrencyConfig,
  type GetValueReturns,
  type RateLimitConfig,
  type RefillingConfig,
} from "convex-rate-limiter";
import { rateLimited } from "convex-rate-limiter/helpers";
import { expectTypeOf, test } from "vitest";
import type { ComponentApi } from "../../src/component/_generated/component.js";

const _schema = defineSchema({
  users: defineTable({
    plan: v.union(v.literal("free"), v.literal("pro")),
    timeZone: v.string(),
  }),
});
type DataModel = DataModelFromSchemaDefinition<typeof _schema>;
type QueryCtx = GenericQueryCtx<DataModel>;
type UserId = GenericId<"users">;

declare const component: ComponentApi;
declare const mutation: MutationBuilder<DataModel, "public">;
declare function userOf(ctx: unknown): Promise<UserId>;
declare function planOf(ctx: unknown, key: string): Promise<RefillingConfig>;

const plans = {
  free: { kind: "fixed window", rate: 3, period: "day" },
  pro: { kind: "fixed window", rate: 10, period: "day" },
} as const;
const places = { kind: "concurrency", capacity: 3, lease: MINUTE } as const;

const unnamed = new RateLimiter(component);
const named = new RateLimiter(component, {
  exports: plans.free,
  render: places,
});

test("the config function of a hook gets the ctx and the key that was found", () => {
  unnamed.hookAPI("exports", {
    key: async (ctx: QueryCtx) => userOf(ctx),
    config: async (ctx, key) => {
      expectTypeOf(ctx).toEqualTypeOf<QueryCtx>();
      expectTypeOf(key).toEqualTypeOf<UserId>();
      const user = (await ctx.db.get("users", key))!;
      return { ...plans[user.plan], timeZone: user.timeZone };
    },
  });
});

test("a key that may be null is undefined for the config function, as without a key", () => {
  const config = (_ctx: QueryCtx, _key: string | undefined) => plans.free;
  const key = async (_ctx: QueryCtx): Promise<string | null> => null;
  unnamed.hookAPI("exports", { key, config });
  unnamed.hookAPI("exports", {
    config: (_ctx: QueryCtx, key) => {
      expectTypeOf(key).toEqualTypeOf<string | undefined>();
      return plans.free;
    },
  });
});

test("what the hook shows is of the kind that the function gives", async () => {
  const _queries = {
    refilling: unnamed.hookAPI("exports", { config: () => plans.pro })
      .getRateLimit,
    held: unnamed.hookAPI("render", { config: async () => places })
      .getRateLimit,
    given: unnamed.hookAPI("render", { config: places }).getRateLimit,
  };
  type Api = ApiFromModules<{ limits: typeof _queries }>["limits"];
  type Returned = { [Name in keyof Api]: Api[Name]["_returnType"] };
  expectTypeOf<Returned>().toEqualTypeOf<{
    refilling: GetValueReturns<RateLimitConfig>;
    held: GetValueReturns<ConcurrencyConfig>;
    given: GetValueReturns<ConcurrencyConfig>;
  }>();
});

test("a function may give no config, for a limit that is named", () => {
  const config = (_ctx: QueryCtx, key: string | undefined) =>
    key === undefined ? undefined : plans.pro;
  named.hookAPI("exports", { config });
  named.hookAPI("another", { config: () => plans.pro });
});

test("a config that a function gives is checked as any other", () => {
  // @ts-expect-error The rate is a number.
  named.hookAPI("another", { config: () => ({ ...plans.pro, rate: "10" }) });
  // @ts-expect-error A config, not its promise in a list.
  named.hookAPI("another", { config: async () => [plans.pro] });
});

test("limitHttp gives it the key and the request", () => {
  httpActionGeneric(
    limitHttp(
      unnamed,
      "api",
      {
        key: async (_ctx, request) => request.headers.get("X-Key") ?? "none",
        config: async (ctx, key, request) => {
          expectTypeOf(ctx).toExtend<GenericActionCtx<GenericDataModel>>();
          expectTypeOf(key).toEqualTypeOf<string>();
          expectTypeOf(request).toEqualTypeOf<Request>();
          return planOf(ctx, key);
        },
      },
      async () => new Response(),
    ),
  );
  const handler = async () => new Response();
  limitHttp(named, "other", { config: () => plans.pro }, handler);
  // @ts-expect-error Its tokens are only held.
  limitHttp(named, "other", { config: () => places }, handler);
  const key = () => null;
  limitHttp(named, "other", { key, config: () => plans.pro }, handler);
});

test("rateLimited gives it the key and the arguments", () => {
  const guarded = customMutation(
    mutation,
    rateLimited(unnamed, "exports", {
      args: { team: v.string() },
      key: async (_ctx, { team }) => team,
      config: async (ctx, key, args) => {
        expectTypeOf(ctx).toExtend<GenericMutationCtx<DataModel>>();
        expectTypeOf(key).toEqualTypeOf<string>();
        expectTypeOf(args).toEqualTypeOf<{ team: string }>();
        return planOf(ctx, key);
      },
    }),
  );
  const _send = guarded({ args: { text: v.string() }, handler: () => null });
  type Args = FunctionArgs<
    ApiFromModules<{ m: { _send: typeof _send } }>["m"]["_send"]
  >;
  expectTypeOf<Args>().toEqualTypeOf<{ text: string; team: string }>();
  rateLimited(named, "other", { config: () => plans.pro });
  // @ts-expect-error Its tokens are only held.
  rateLimited(named, "other", { config: () => places });
});
