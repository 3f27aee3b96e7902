/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type * as accounts from "../accounts.js";
import type * as answers from "../answers.js";
import type * as denials from "../denials.js";
import type * as exports from "../exports.js";
import type * as figures from "../figures.js";
import type * as holds from "../holds.js";
import type * as http from "../http.js";
import type * as jobs from "../jobs.js";
import type * as limits from "../limits.js";
import type * as llm from "../llm.js";
import type * as messages from "../messages.js";
import type * as operators from "../operators.js";
import type * as organisations from "../organisations.js";
import type * as playground from "../playground.js";
import type * as renders from "../renders.js";
import type * as reports from "../reports.js";
import type * as requests from "../requests.js";
import type * as rollout from "../rollout.js";
import type * as session from "../session.js";

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";

declare const fullApi: ApiFromModules<{
  accounts: typeof accounts;
  answers: typeof answers;
  denials: typeof denials;
  exports: typeof exports;
  figures: typeof figures;
  holds: typeof holds;
  http: typeof http;
  jobs: typeof jobs;
  limits: typeof limits;
  llm: typeof llm;
  messages: typeof messages;
  operators: typeof operators;
  organisations: typeof organisations;
  playground: typeof playground;
  renders: typeof renders;
  reports: typeof reports;
  requests: typeof requests;
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
