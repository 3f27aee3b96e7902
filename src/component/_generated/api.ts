/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type * as bounded from "../bounded.js";
import type * as calls_amounts from "../calls/amounts.js";
import type * as calls_count from "../calls/count.js";
import type * as calls_details from "../calls/details.js";
import type * as calls_hold from "../calls/hold.js";
import type * as calls_open from "../calls/open.js";
import type * as calls_request from "../calls/request.js";
import type * as calls_serve from "../calls/serve.js";
import type * as calls_signatures from "../calls/signatures.js";
import type * as calls_storedOverrides from "../calls/storedOverrides.js";
import type * as calls_take from "../calls/take.js";
import type * as calls_value from "../calls/value.js";
import type * as calls_warn from "../calls/warn.js";
import type * as clear from "../clear.js";
import type * as crons from "../crons.js";
import type * as figures from "../figures.js";
import type * as holds from "../holds.js";
import type * as idle from "../idle.js";
import type * as ledgers_leases from "../ledgers/leases.js";
import type * as ledgers_ledger from "../ledgers/ledger.js";
import type * as ledgers_ledgerOf from "../ledgers/ledgerOf.js";
import type * as ledgers_look from "../ledgers/look.js";
import type * as ledgers_rows from "../ledgers/rows.js";
import type * as ledgers_storedRows from "../ledgers/storedRows.js";
import type * as ledgers_storedTakings from "../ledgers/storedTakings.js";
import type * as ledgers_takings from "../ledgers/takings.js";
import type * as lib from "../lib.js";
import type * as list from "../list.js";
import type * as lists_keysInUse from "../lists/keysInUse.js";
import type * as lists_walk from "../lists/walk.js";
import type * as lookAtAnswers from "../lookAtAnswers.js";
import type * as lookAtRows from "../lookAtRows.js";
import type * as lookAtTakings from "../lookAtTakings.js";
import type * as overrides from "../overrides.js";
import type * as sweep from "../sweep.js";
import type * as time from "../time.js";
import type * as vacuum from "../vacuum.js";

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";
import { anyApi, componentsGeneric } from "convex/server";

const fullApi: ApiFromModules<{
  bounded: typeof bounded;
  "calls/amounts": typeof calls_amounts;
  "calls/count": typeof calls_count;
  "calls/details": typeof calls_details;
  "calls/hold": typeof calls_hold;
  "calls/open": typeof calls_open;
  "calls/request": typeof calls_request;
  "calls/serve": typeof calls_serve;
  "calls/signatures": typeof calls_signatures;
  "calls/storedOverrides": typeof calls_storedOverrides;
  "calls/take": typeof calls_take;
  "calls/value": typeof calls_value;
  "calls/warn": typeof calls_warn;
  clear: typeof clear;
  crons: typeof crons;
  figures: typeof figures;
  holds: typeof holds;
  idle: typeof idle;
  "ledgers/leases": typeof ledgers_leases;
  "ledgers/ledger": typeof ledgers_ledger;
  "ledgers/ledgerOf": typeof ledgers_ledgerOf;
  "ledgers/look": typeof ledgers_look;
  "ledgers/rows": typeof ledgers_rows;
  "ledgers/storedRows": typeof ledgers_storedRows;
  "ledgers/storedTakings": typeof ledgers_storedTakings;
  "ledgers/takings": typeof ledgers_takings;
  lib: typeof lib;
  list: typeof list;
  "lists/keysInUse": typeof lists_keysInUse;
  "lists/walk": typeof lists_walk;
  lookAtAnswers: typeof lookAtAnswers;
  lookAtRows: typeof lookAtRows;
  lookAtTakings: typeof lookAtTakings;
  overrides: typeof overrides;
  sweep: typeof sweep;
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
