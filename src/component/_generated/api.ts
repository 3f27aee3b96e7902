/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type * as crons from "../crons.js";
import type * as evaluate from "../evaluate.js";
import type * as lib from "../lib.js";
import type * as list from "../list.js";
import type * as overrideKinds from "../overrideKinds.js";
import type * as overrides from "../overrides.js";
import type * as rows from "../rows.js";
import type * as shards from "../shards.js";
import type * as time from "../time.js";
import type * as vacuum from "../vacuum.js";

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";
import { anyApi, componentsGeneric } from "convex/server";

const fullApi: ApiFromModules<{
  crons: typeof crons;
  evaluate: typeof evaluate;
  lib: typeof lib;
  list: typeof list;
  overrideKinds: typeof overrideKinds;
  overrides: typeof overrides;
  rows: typeof rows;
  shards: typeof shards;
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
