/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type * as answers from "../answers.js";
import type * as demoSecret from "../demoSecret.js";
import type * as http from "../http.js";
import type * as jobs from "../jobs.js";
import type * as kinds from "../kinds.js";
import type * as messages from "../messages.js";
import type * as rateLimiter from "../rateLimiter.js";
import type * as rollout from "../rollout.js";
import type * as session from "../session.js";

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";

declare const fullApi: ApiFromModules<{
  answers: typeof answers;
  demoSecret: typeof demoSecret;
  http: typeof http;
  jobs: typeof jobs;
  kinds: typeof kinds;
  messages: typeof messages;
  rateLimiter: typeof rateLimiter;
  rollout: typeof rollout;
  session: typeof session;
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
};
