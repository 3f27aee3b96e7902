/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type * as denials from "../denials.js";
import type * as grants from "../grants.js";
import type * as http from "../http.js";
import type * as jobs from "../jobs.js";
import type * as messages from "../messages.js";
import type * as rateLimiter from "../rateLimiter.js";
import type * as verbs from "../verbs.js";

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";

declare const fullApi: ApiFromModules<{
  denials: typeof denials;
  grants: typeof grants;
  http: typeof http;
  jobs: typeof jobs;
  messages: typeof messages;
  rateLimiter: typeof rateLimiter;
  verbs: typeof verbs;
}>;

/**
 * A utility for referencing Convex functions in your app's public API.
 *
 * Usage:
 * ```js
 * const myFunctionReference = api.myModule.myFunction;
 * ```
 */
export declare const api: FilterApi<
  typeof fullApi,
  FunctionReference<any, "public">
>;

/**
 * A utility for referencing Convex functions in your app's internal API.
 *
 * Usage:
 * ```js
 * const myFunctionReference = internal.myModule.myFunction;
 * ```
 */
export declare const internal: FilterApi<
  typeof fullApi,
  FunctionReference<any, "internal">
>;

export declare const components: {
  rateLimiter: import("convex-rate-limiter/_generated/component.js").ComponentApi<"rateLimiter">;
  second: import("convex-rate-limiter/_generated/component.js").ComponentApi<"second">;
};
