import type {
  ForgetOptions,
  HoldAllItem,
  HoldAllOptions,
  HoldOptions,
  HookAPIOptions,
  LimitAllItem,
  LimitConfig,
  LimitHttpOptions,
  PenalizeOptions,
  RateLimitArgs,
  RateLimiter,
  RateLimiterOptions,
  RateLimitListOptions,
  RateLimitStatsOptions,
  ScheduleOptions,
  SetOverrideOptions,
  SettleAllItem,
  SettleOptions,
  TopDeniedOptions,
} from "convex-rate-limiter";
import type { RateLimitStorageOptions } from "convex-rate-limiter/better-auth";
import type { DashboardOptions } from "convex-rate-limiter/dashboard";
import type { RateLimitedOptions } from "convex-rate-limiter/helpers";
import type {
  GenericDataModel,
  GenericMutationCtx,
  SchedulableFunctionReference,
} from "convex/server";
import type { PropertyValidators } from "convex/values";
import { expectTypeOf, test } from "vitest";
import type * as fields from "../../src/client/options.js";
import type {
  AmountOptions,
  AnswerOptions,
  CreditOptions,
  GetValueOptions,
  KeyOption,
} from "../../src/client/types.js";

type Fields = typeof fields;
type KeysOf<Options> = Options extends unknown ? keyof Options : never;
type Listed<Name extends keyof Fields> =
  Fields[Name] extends readonly (infer Field)[] ? Field : never;

/** What a call takes that has a name of its own. */
type Named = { name: string };
type Configured = Named & { config: LimitConfig };
type Ctx = GenericMutationCtx<GenericDataModel>;
type ListOverrides = Parameters<RateLimiter["listOverrides"]>[1];
type Overridden = NonNullable<SetOverrideOptions["config"]>;
type Guard = RateLimitedOptions<
  Ctx,
  PropertyValidators,
  object,
  Record<string, unknown>
>;

test("the fields that a call is checked against are those of its type", () => {
  expectTypeOf<{
    -readonly [
      Name in keyof Fields as Listed<Name> extends never ? never : Name
    ]: Listed<Name>;
  }>().toEqualTypeOf<{
    ITEM: KeysOf<LimitAllItem>;
    REQUEST: KeysOf<RateLimitArgs>;
    LIST: KeysOf<AnswerOptions<boolean>>;
    RESET: KeysOf<KeyOption & Configured>;
    GET_VALUE: KeysOf<GetValueOptions & Configured>;
    AMOUNT: KeysOf<AmountOptions & Configured>;
    CREDIT: KeysOf<CreditOptions & Configured>;
    HELD_ITEM: KeysOf<HoldAllItem>;
    HOLD: KeysOf<HoldOptions & Configured>;
    HELD_LIST: KeysOf<HoldAllOptions>;
    SETTLE: KeysOf<SettleOptions>;
    SETTLED_ITEM: KeysOf<SettleAllItem>;
    SCHEDULE: KeysOf<
      ScheduleOptions<SchedulableFunctionReference> & Configured
    >;
    SET_OVERRIDE: KeysOf<SetOverrideOptions & Named>;
    OVERRIDDEN: KeysOf<Overridden>;
    PENALIZE: KeysOf<PenalizeOptions & Named>;
    FORGET: keyof ForgetOptions;
    CLEAR_OVERRIDE: KeysOf<KeyOption & Named>;
    LIST_OVERRIDES: KeysOf<ListOverrides>;
    LIST_KEYS: KeysOf<RateLimitListOptions>;
    STATS: KeysOf<RateLimitStatsOptions & Named>;
    TOP_DENIED: KeysOf<TopDeniedOptions & Named>;
    LIMIT_HTTP: KeysOf<LimitHttpOptions & Configured>;
    RATE_LIMITED: KeysOf<Guard & Configured>;
    DASHBOARD: KeysOf<DashboardOptions>;
    STORAGE: KeysOf<RateLimitStorageOptions>;
    LIMITER: KeysOf<RateLimiterOptions>;
  }>();
  // `hookAPI` takes what `getValue` does.
  expectTypeOf<Listed<"GET_VALUE">>().toEqualTypeOf<
    KeysOf<HookAPIOptions<GenericDataModel> & Configured>
  >();
});
