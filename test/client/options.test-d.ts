import type * as client from "convex-rate-limiter";
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
import type * as types from "../../src/client/types.js";

/** The fields that are listed, each list by its name. */
type Lists = Omit<typeof options, "FIELDS" | "wordsOf"> &
  (typeof options)["FIELDS"];
type KeysOf<Options> = Options extends unknown ? keyof Options : never;

/** What a call takes that has a name of its own. */
type Named = { name: string };
type Ctx = GenericMutationCtx<GenericDataModel>;
type ListOverrides = Parameters<client.RateLimiter["listOverrides"]>[1];
type Overridden = NonNullable<client.SetOverrideOptions["config"]>;
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
    LIMIT_ALL_ITEM_FIELDS: KeysOf<client.LimitAllItem>;
    limit: KeysOf<types.LimitOptions & Named>;
    check: KeysOf<types.CheckOptions & Named>;
    limitAll: KeysOf<types.AnswerOptions>;
    checkAll: KeysOf<types.AnswerOptions>;
    reset: KeysOf<types.ResetOptions & Named>;
    resetAll: KeysOf<types.ConfigOption & Named>;
    getValue: KeysOf<types.GetValueOptions & Named>;
    hookAPI: KeysOf<client.HookAPIOptions<GenericDataModel> & Named>;
    charge: KeysOf<types.ChargeOptions & Named>;
    credit: KeysOf<types.CreditOptions & Named>;
    HOLD_ALL_ITEM_FIELDS: KeysOf<client.HoldAllItem>;
    hold: KeysOf<client.HoldOptions & Named>;
    holdAll: KeysOf<client.HoldAllOptions>;
    settle: KeysOf<client.SettleOptions>;
    SETTLE_ALL_ITEM_FIELDS: KeysOf<client.SettleAllItem>;
    schedule: KeysOf<
      client.ScheduleOptions<SchedulableFunctionReference> & Named
    >;
    setOverride: KeysOf<client.SetOverrideOptions & Named>;
    OVERRIDE_FIELDS: KeysOf<Overridden>;
    penalize: KeysOf<client.PenalizeOptions & Named>;
    forget: keyof client.ForgetOptions;
    clearOverride: KeysOf<types.KeyOption & Named>;
    listOverrides: KeysOf<ListOverrides>;
    list: KeysOf<client.RateLimitListOptions>;
    stats: KeysOf<client.RateLimitStatsOptions & Named>;
    topDenied: KeysOf<client.TopDeniedOptions & Named>;
    LIMIT_HTTP_FIELDS: KeysOf<client.LimitHttpOptions & Named>;
    RATE_LIMITED_FIELDS: KeysOf<Guard & Named>;
    DASHBOARD_FIELDS: KeysOf<DashboardOptions>;
    STORAGE_FIELDS: KeysOf<RateLimitStorageOptions>;
    "new RateLimiter": KeysOf<client.RateLimiterOptions>;
  }>();
});
