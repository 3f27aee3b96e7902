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
import type * as options from "../../src/client/options.js";
import type {
  AmountOptions,
  AnswerOptions,
  CreditOptions,
  GetValueOptions,
  KeyOption,
} from "../../src/client/types.js";

/** The fields that are listed, each list by its name. */
type Lists = Omit<typeof options, "FIELDS" | "wordsOf"> &
  (typeof options)["FIELDS"];
type KeysOf<Options> = Options extends unknown ? keyof Options : never;

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
    -readonly [Name in keyof Lists]: options.Word<Lists[Name]>;
  }>().toEqualTypeOf<{
    LIMIT_ALL_ITEM_FIELDS: KeysOf<LimitAllItem>;
    limit: KeysOf<RateLimitArgs>;
    check: KeysOf<RateLimitArgs>;
    limitAll: KeysOf<AnswerOptions<boolean>>;
    checkAll: KeysOf<AnswerOptions<boolean>>;
    reset: KeysOf<KeyOption & Configured>;
    getValue: KeysOf<GetValueOptions & Configured>;
    hookAPI: KeysOf<HookAPIOptions<GenericDataModel> & Configured>;
    charge: KeysOf<AmountOptions & Configured>;
    credit: KeysOf<CreditOptions & Configured>;
    HOLD_ALL_ITEM_FIELDS: KeysOf<HoldAllItem>;
    hold: KeysOf<HoldOptions & Configured>;
    holdAll: KeysOf<HoldAllOptions>;
    settle: KeysOf<SettleOptions>;
    SETTLE_ALL_ITEM_FIELDS: KeysOf<SettleAllItem>;
    schedule: KeysOf<
      ScheduleOptions<SchedulableFunctionReference> & Configured
    >;
    setOverride: KeysOf<SetOverrideOptions & Named>;
    OVERRIDE_FIELDS: KeysOf<Overridden>;
    penalize: KeysOf<PenalizeOptions & Named>;
    forget: keyof ForgetOptions;
    clearOverride: KeysOf<KeyOption & Named>;
    listOverrides: KeysOf<ListOverrides>;
    list: KeysOf<RateLimitListOptions>;
    stats: KeysOf<RateLimitStatsOptions & Named>;
    topDenied: KeysOf<TopDeniedOptions & Named>;
    LIMIT_HTTP_FIELDS: KeysOf<LimitHttpOptions & Configured>;
    RATE_LIMITED_FIELDS: KeysOf<Guard & Configured>;
    DASHBOARD_FIELDS: KeysOf<DashboardOptions>;
    STORAGE_FIELDS: KeysOf<RateLimitStorageOptions>;
    "new RateLimiter": KeysOf<RateLimiterOptions>;
  }>();
});
