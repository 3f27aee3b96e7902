/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type * as alerts from "../alerts.js";
import type * as anonymous from "../anonymous.js";
import type * as bans from "../bans.js";
import type * as costs from "../costs.js";
import type * as crons from "../crons.js";
import type * as emails from "../emails.js";
import type * as http from "../http.js";
import type * as llm from "../llm.js";
import type * as logins from "../logins.js";
import type * as metrics from "../metrics.js";
import type * as model from "../model.js";
import type * as plans from "../plans.js";
import type * as priorities from "../priorities.js";
import type * as renders from "../renders.js";
import type * as rollout from "../rollout.js";
import type * as signUps from "../signUps.js";
import type * as webhooks from "../webhooks.js";

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";

declare const fullApi: ApiFromModules<{
  alerts: typeof alerts;
  anonymous: typeof anonymous;
  bans: typeof bans;
  costs: typeof costs;
  crons: typeof crons;
  emails: typeof emails;
  http: typeof http;
  llm: typeof llm;
  logins: typeof logins;
  metrics: typeof metrics;
  model: typeof model;
  plans: typeof plans;
  priorities: typeof priorities;
  renders: typeof renders;
  rollout: typeof rollout;
  signUps: typeof signUps;
  webhooks: typeof webhooks;
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
