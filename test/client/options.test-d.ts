import type {
  ForgetOptions,
  HoldAllItem,
  HoldAllOptions,
  HoldOptions,
  HookAPIOptions,
  LimitAllItem,
  LimitHttpOptions,
  PenalizeOptions,
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
  AnswerOptions,
  ChargeOptions,
  CheckOptions,
  ConfigOption,
  CreditOptions,
  GetValueOptions,
  KeyOption,
  LimitOptions,
  ResetOptions,
} from "../../src/client/types.js";

/** The fields that are listed, each list by its name. */
type Lists = Omit<typeof options, "FIELDS" | "wordsOf"> &
  (typeof options)["FIELDS"];
type KeysOf<Options> = Options extends unknown ? keyof Options : never;

/** What a call takes that has a name of its own. */
type Named = { name: string };
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
    limit: KeysOf<LimitOptions & Named>;
    check: KeysOf<CheckOptions & Named>;
    limitAll: KeysOf<AnswerOptions>;
    checkAll: KeysOf<AnswerOptions>;
    reset: KeysOf<ResetOptions & Named>;
    resetAll: KeysOf<ConfigOption & Named>;
    getValue: KeysOf<GetValueOptions & Named>;
    hookAPI: KeysOf<HookAPIOptions<GenericDataModel> & Named>;
    charge: KeysOf<ChargeOptions & Named>;
    credit: KeysOf<CreditOptions & Named>;
    HOLD_ALL_ITEM_FIELDS: KeysOf<HoldAllItem>;
    hold: KeysOf<HoldOptions & Named>;
    holdAll: KeysOf<HoldAllOptions>;
    settle: KeysOf<SettleOptions>;
    SETTLE_ALL_ITEM_FIELDS: KeysOf<SettleAllItem>;
    schedule: KeysOf<ScheduleOptions<SchedulableFunctionReference> & Named>;
    setOverride: KeysOf<SetOverrideOptions & Named>;
    OVERRIDE_FIELDS: KeysOf<Overridden>;
    penalize: KeysOf<PenalizeOptions & Named>;
    forget: keyof ForgetOptions;
    clearOverride: KeysOf<KeyOption & Named>;
    listOverrides: KeysOf<ListOverrides>;
    list: KeysOf<RateLimitListOptions>;
    stats: KeysOf<RateLimitStatsOptions & Named>;
    topDenied: KeysOf<TopDeniedOptions & Named>;
    LIMIT_HTTP_FIELDS: KeysOf<LimitHttpOptions & Named>;
    RATE_LIMITED_FIELDS: KeysOf<Guard & Named>;
    DASHBOARD_FIELDS: KeysOf<DashboardOptions>;
    STORAGE_FIELDS: KeysOf<RateLimitStorageOptions>;
    "new RateLimiter": KeysOf<RateLimiterOptions>;
  }>();
});
