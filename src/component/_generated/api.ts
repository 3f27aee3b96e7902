/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type * as calls_adjust from "../../verbs/adjust.js";
import type * as calls_decideAll from "../../verbs/decideAll.js";
import type * as calls_hold from "../../verbs/hold.js";
import type * as calls_open from "../../verbs/open.js";
import type * as calls_readAndDecide from "../../verbs/readAndDecide.js";
import type * as calls_signatures from "../../verbs/signatures.js";
import type * as calls_takeAll from "../../verbs/takeAll.js";
import type * as calls_value from "../../verbs/value.js";
import type * as clear from "../clear.js";
import type * as crons from "../crons.js";
import type * as forget from "../forget.js";
import type * as holds from "../holds.js";
import type * as lib from "../lib.js";
import type * as list from "../list.js";
import type * as lookAtAnswers from "../lookAtAnswers.js";
import type * as lookAtRows from "../lookAtRows.js";
import type * as overrideWithCredit from "../overrideWithCredit.js";
import type * as overrides from "../overrides.js";
import type * as shrink from "../shrink.js";
import type * as stats from "../stats.js";
import type * as stores_budget from "../../stores/budget.js";
import type * as stores_forget from "../../stores/forget.js";
import type * as stores_holds_housekeeping from "../../stores/holds/housekeeping.js";
import type * as stores_holds_ledger from "../../stores/holds/ledger.js";
import type * as stores_ledger from "../../stores/ledger.js";
import type * as stores_overrides_housekeeping from "../../stores/overrides/housekeeping.js";
import type * as stores_overrides_stored from "../../stores/overrides/stored.js";
import type * as stores_pages from "../../stores/pages.js";
import type * as stores_rows_housekeeping from "../../stores/rows/housekeeping.js";
import type * as stores_rows_ledger from "../../stores/rows/ledger.js";
import type * as stores_rows_stored from "../../stores/rows/stored.js";
import type * as stores_stale from "../../stores/stale.js";
import type * as stores_stats_events from "../../stores/stats/events.js";
import type * as stores_stats_housekeeping from "../../stores/stats/housekeeping.js";
import type * as time from "../time.js";
import type * as vacuum from "../vacuum.js";

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";
import { anyApi, componentsGeneric } from "convex/server";

const fullApi: ApiFromModules<{
  "calls/adjust": typeof calls_adjust;
  "calls/decideAll": typeof calls_decideAll;
  "calls/hold": typeof calls_hold;
  "calls/open": typeof calls_open;
  "calls/readAndDecide": typeof calls_readAndDecide;
  "calls/signatures": typeof calls_signatures;
  "calls/takeAll": typeof calls_takeAll;
  "calls/value": typeof calls_value;
  clear: typeof clear;
  crons: typeof crons;
  forget: typeof forget;
  holds: typeof holds;
  lib: typeof lib;
  list: typeof list;
  lookAtAnswers: typeof lookAtAnswers;
  lookAtRows: typeof lookAtRows;
  overrideWithCredit: typeof overrideWithCredit;
  overrides: typeof overrides;
  shrink: typeof shrink;
  stats: typeof stats;
  "stores/budget": typeof stores_budget;
  "stores/forget": typeof stores_forget;
  "stores/holds/housekeeping": typeof stores_holds_housekeeping;
  "stores/holds/ledger": typeof stores_holds_ledger;
  "stores/ledger": typeof stores_ledger;
  "stores/overrides/housekeeping": typeof stores_overrides_housekeeping;
  "stores/overrides/stored": typeof stores_overrides_stored;
  "stores/pages": typeof stores_pages;
  "stores/rows/housekeeping": typeof stores_rows_housekeeping;
  "stores/rows/ledger": typeof stores_rows_ledger;
  "stores/rows/stored": typeof stores_rows_stored;
  "stores/stale": typeof stores_stale;
  "stores/stats/events": typeof stores_stats_events;
  "stores/stats/housekeeping": typeof stores_stats_housekeeping;
  time: typeof time;
  vacuum: typeof vacuum;
}> = anyApi as any;

/**
 * A utility for referencing Convex functions in your app's public API.
 *
 * Usage:
 * ```js
 * const myFunctionReference = api.myModule.myFunction;
 * ```
 */
export const api: FilterApi<
  typeof fullApi,
  FunctionReference<any, "public">
> = anyApi as any;

/**
 * A utility for referencing Convex functions in your app's internal API.
 *
 * Usage:
 * ```js
 * const myFunctionReference = internal.myModule.myFunction;
 * ```
 */
export const internal: FilterApi<
  typeof fullApi,
  FunctionReference<any, "internal">
> = anyApi as any;

export const components = componentsGeneric() as unknown as {};
