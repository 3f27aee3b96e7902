/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type * as calls_amounts from "../calls/amounts.js";
import type * as calls_count from "../calls/count.js";
import type * as calls_decideOn from "../calls/decideOn.js";
import type * as calls_details from "../calls/details.js";
import type * as calls_hold from "../calls/hold.js";
import type * as calls_leaf from "../calls/leaf.js";
import type * as calls_limit from "../calls/limit.js";
import type * as calls_open from "../calls/open.js";
import type * as calls_request from "../calls/request.js";
import type * as calls_settle from "../calls/settle.js";
import type * as calls_signatures from "../calls/signatures.js";
import type * as calls_take from "../calls/take.js";
import type * as calls_value from "../calls/value.js";
import type * as clear from "../clear.js";
import type * as compact from "../compact.js";
import type * as crons from "../crons.js";
import type * as forget from "../forget.js";
import type * as holds from "../holds.js";
import type * as lib from "../lib.js";
import type * as list from "../list.js";
import type * as lookAtAnswers from "../lookAtAnswers.js";
import type * as lookAtDebits from "../lookAtDebits.js";
import type * as lookAtRows from "../lookAtRows.js";
import type * as overrides from "../overrides.js";
import type * as shrink from "../shrink.js";
import type * as stats from "../stats.js";
import type * as stores_asynchronous_clear from "../stores/asynchronous/clear.js";
import type * as stores_asynchronous_compact from "../stores/asynchronous/compact.js";
import type * as stores_asynchronous_keys from "../stores/asynchronous/keys.js";
import type * as stores_asynchronous_ledger from "../stores/asynchronous/ledger.js";
import type * as stores_asynchronous_stored from "../stores/asynchronous/stored.js";
import type * as stores_asynchronous_vacuum from "../stores/asynchronous/vacuum.js";
import type * as stores_budget from "../stores/budget.js";
import type * as stores_clearing from "../stores/clearing.js";
import type * as stores_forget from "../stores/forget.js";
import type * as stores_holds_again from "../stores/holds/again.js";
import type * as stores_holds_clear from "../stores/holds/clear.js";
import type * as stores_holds_keys from "../stores/holds/keys.js";
import type * as stores_holds_ledger from "../stores/holds/ledger.js";
import type * as stores_holds_stored from "../stores/holds/stored.js";
import type * as stores_holds_vacuum from "../stores/holds/vacuum.js";
import type * as stores_idle from "../stores/idle.js";
import type * as stores_ledger from "../stores/ledger.js";
import type * as stores_ledgerOf from "../stores/ledgerOf.js";
import type * as stores_listing from "../stores/listing.js";
import type * as stores_names from "../stores/names.js";
import type * as stores_overrides_forget from "../stores/overrides/forget.js";
import type * as stores_overrides_stored from "../stores/overrides/stored.js";
import type * as stores_overrides_vacuum from "../stores/overrides/vacuum.js";
import type * as stores_pages from "../stores/pages.js";
import type * as stores_rows_clear from "../stores/rows/clear.js";
import type * as stores_rows_keys from "../stores/rows/keys.js";
import type * as stores_rows_ledger from "../stores/rows/ledger.js";
import type * as stores_rows_readable from "../stores/rows/readable.js";
import type * as stores_rows_stored from "../stores/rows/stored.js";
import type * as stores_rows_vacuum from "../stores/rows/vacuum.js";
import type * as stores_stale from "../stores/stale.js";
import type * as stores_stats_fold from "../stores/stats/fold.js";
import type * as stores_stats_forget from "../stores/stats/forget.js";
import type * as stores_stats_vacuum from "../stores/stats/vacuum.js";
import type * as time from "../time.js";
import type * as upgrade from "../upgrade.js";
import type * as vacuum from "../vacuum.js";

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";
import { anyApi, componentsGeneric } from "convex/server";

const fullApi: ApiFromModules<{
  "calls/amounts": typeof calls_amounts;
  "calls/count": typeof calls_count;
  "calls/decideOn": typeof calls_decideOn;
  "calls/details": typeof calls_details;
  "calls/hold": typeof calls_hold;
  "calls/leaf": typeof calls_leaf;
  "calls/limit": typeof calls_limit;
  "calls/open": typeof calls_open;
  "calls/request": typeof calls_request;
  "calls/settle": typeof calls_settle;
  "calls/signatures": typeof calls_signatures;
  "calls/take": typeof calls_take;
  "calls/value": typeof calls_value;
  clear: typeof clear;
  compact: typeof compact;
  crons: typeof crons;
  forget: typeof forget;
  holds: typeof holds;
  lib: typeof lib;
  list: typeof list;
  lookAtAnswers: typeof lookAtAnswers;
  lookAtDebits: typeof lookAtDebits;
  lookAtRows: typeof lookAtRows;
  overrides: typeof overrides;
  shrink: typeof shrink;
  stats: typeof stats;
  "stores/asynchronous/clear": typeof stores_asynchronous_clear;
  "stores/asynchronous/compact": typeof stores_asynchronous_compact;
  "stores/asynchronous/keys": typeof stores_asynchronous_keys;
  "stores/asynchronous/ledger": typeof stores_asynchronous_ledger;
  "stores/asynchronous/stored": typeof stores_asynchronous_stored;
  "stores/asynchronous/vacuum": typeof stores_asynchronous_vacuum;
  "stores/budget": typeof stores_budget;
  "stores/clearing": typeof stores_clearing;
  "stores/forget": typeof stores_forget;
  "stores/holds/again": typeof stores_holds_again;
  "stores/holds/clear": typeof stores_holds_clear;
  "stores/holds/keys": typeof stores_holds_keys;
  "stores/holds/ledger": typeof stores_holds_ledger;
  "stores/holds/stored": typeof stores_holds_stored;
  "stores/holds/vacuum": typeof stores_holds_vacuum;
  "stores/idle": typeof stores_idle;
  "stores/ledger": typeof stores_ledger;
  "stores/ledgerOf": typeof stores_ledgerOf;
  "stores/listing": typeof stores_listing;
  "stores/names": typeof stores_names;
  "stores/overrides/forget": typeof stores_overrides_forget;
  "stores/overrides/stored": typeof stores_overrides_stored;
  "stores/overrides/vacuum": typeof stores_overrides_vacuum;
  "stores/pages": typeof stores_pages;
  "stores/rows/clear": typeof stores_rows_clear;
  "stores/rows/keys": typeof stores_rows_keys;
  "stores/rows/ledger": typeof stores_rows_ledger;
  "stores/rows/readable": typeof stores_rows_readable;
  "stores/rows/stored": typeof stores_rows_stored;
  "stores/rows/vacuum": typeof stores_rows_vacuum;
  "stores/stale": typeof stores_stale;
  "stores/stats/fold": typeof stores_stats_fold;
  "stores/stats/forget": typeof stores_stats_forget;
  "stores/stats/vacuum": typeof stores_stats_vacuum;
  time: typeof time;
  upgrade: typeof upgrade;
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
