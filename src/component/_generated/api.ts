/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type * as amounts from "../calls/amounts.js";
import type * as ask from "../ask.js";
import type * as clear from "../clear.js";
import type * as crons from "../crons.js";
import type * as details from "../calls/details.js";
import type * as figures from "../figures.js";
import type * as fresh from "../fresh.js";
import type * as holds from "../holds.js";
import type * as inTurn from "../inTurn.js";
import type * as keysInOrder from "../keysInOrder.js";
import type * as leases from "../ledgers/leases.js";
import type * as ledger from "../ledgers/ledger.js";
import type * as lib from "../lib.js";
import type * as list from "../list.js";
import type * as listHeld from "../listHeld.js";
import type * as open from "../calls/open.js";
import type * as overrides from "../overrides.js";
import type * as request from "../calls/request.js";
import type * as rows from "../ledgers/rows.js";
import type * as serve from "../calls/serve.js";
import type * as take from "../calls/take.js";
import type * as takings from "../ledgers/takings.js";
import type * as time from "../time.js";
import type * as vacuum from "../vacuum.js";
import type * as value from "../calls/value.js";

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";
import { anyApi, componentsGeneric } from "convex/server";

const fullApi: ApiFromModules<{
  amounts: typeof amounts;
  ask: typeof ask;
  clear: typeof clear;
  crons: typeof crons;
  details: typeof details;
  figures: typeof figures;
  fresh: typeof fresh;
  holds: typeof holds;
  inTurn: typeof inTurn;
  keysInOrder: typeof keysInOrder;
  leases: typeof leases;
  ledger: typeof ledger;
  lib: typeof lib;
  list: typeof list;
  listHeld: typeof listHeld;
  open: typeof open;
  overrides: typeof overrides;
  request: typeof request;
  rows: typeof rows;
  serve: typeof serve;
  take: typeof take;
  takings: typeof takings;
  time: typeof time;
  vacuum: typeof vacuum;
  value: typeof value;
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
