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
import type * as auth from "../auth.js";
import type * as done from "../done.js";
import type * as errors from "../errors.js";
import type * as http from "../http.js";
import type * as mail from "../mail.js";
import type * as messages from "../messages.js";
import type * as model from "../model.js";
import type * as operators from "../operators.js";
import type * as rateLimiter from "../rateLimiter.js";
import type * as users from "../users.js";

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";

declare const fullApi: ApiFromModules<{
  answers: typeof answers;
  auth: typeof auth;
  done: typeof done;
  errors: typeof errors;
  http: typeof http;
  mail: typeof mail;
  messages: typeof messages;
  model: typeof model;
  operators: typeof operators;
  rateLimiter: typeof rateLimiter;
  users: typeof users;
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
