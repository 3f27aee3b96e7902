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
    LIMIT_ALL_ITEM_FIELDS: KeysOf<LimitAllItem>;
    REQUEST_FIELDS: KeysOf<RateLimitArgs>;
    LIMIT_ALL_FIELDS: KeysOf<AnswerOptions<boolean>>;
    RESET_FIELDS: KeysOf<KeyOption & Configured>;
    GET_VALUE_FIELDS: KeysOf<GetValueOptions & Configured>;
    AMOUNT_FIELDS: KeysOf<AmountOptions & Configured>;
    CREDIT_FIELDS: KeysOf<CreditOptions & Configured>;
    HOLD_ALL_ITEM_FIELDS: KeysOf<HoldAllItem>;
    HOLD_FIELDS: KeysOf<HoldOptions & Configured>;
    HOLD_ALL_FIELDS: KeysOf<HoldAllOptions>;
    SETTLE_FIELDS: KeysOf<SettleOptions>;
    SETTLE_ALL_ITEM_FIELDS: KeysOf<SettleAllItem>;
    SCHEDULE_FIELDS: KeysOf<
      ScheduleOptions<SchedulableFunctionReference> & Configured
    >;
    SET_OVERRIDE_FIELDS: KeysOf<SetOverrideOptions & Named>;
    OVERRIDE_FIELDS: KeysOf<Overridden>;
    PENALIZE_FIELDS: KeysOf<PenalizeOptions & Named>;
    FORGET_FIELDS: keyof ForgetOptions;
    CLEAR_OVERRIDE_FIELDS: KeysOf<KeyOption & Named>;
    LIST_OVERRIDES_FIELDS: KeysOf<ListOverrides>;
    LIST_FIELDS: KeysOf<RateLimitListOptions>;
    STATS_FIELDS: KeysOf<RateLimitStatsOptions & Named>;
    TOP_DENIED_FIELDS: KeysOf<TopDeniedOptions & Named>;
    LIMIT_HTTP_FIELDS: KeysOf<LimitHttpOptions & Configured>;
    RATE_LIMITED_FIELDS: KeysOf<Guard & Configured>;
    DASHBOARD_FIELDS: KeysOf<DashboardOptions>;
    STORAGE_FIELDS: KeysOf<RateLimitStorageOptions>;
    LIMITER_FIELDS: KeysOf<RateLimiterOptions>;
  }>();
  // `hookAPI` takes what `getValue` does.
  expectTypeOf<Listed<"GET_VALUE_FIELDS">>().toEqualTypeOf<
    KeysOf<HookAPIOptions<GenericDataModel> & Configured>
  >();
});
