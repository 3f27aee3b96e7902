import {
  httpActionGeneric,
  type GenericActionCtx,
  type GenericDataModel,
  type HttpActionBuilder,
  type HttpRouter,
} from "convex/server";
import type { AuthorizeReturns, Guard } from "./access.js";
import type { DashboardLimiter } from "./answer.js";
import { checkOptions } from "../client/checks.js";
import { DASHBOARD_FIELDS } from "../client/options.js";

export type { DashboardLimiter };

/** Who may see and change the limits, and where the page is. */
export type DashboardOptions<
  DataModel extends GenericDataModel = GenericDataModel,
> = {
  /**
   * The page's path below the deployment's HTTP address. Served with and without a trailing slash.
   * @default "/rate-limits/"
   */
  path?: string | undefined;
  /**
   * The name of the field in which an operator types the secret or token to sign in, such as
   * `"Admin token"`.
   * @default "Secret", or "Token" with `authorize`
   */
  label?: string | undefined;
  /**
   * What a key stands for, such as the name of the user whose id it is: shown after the key. Called
   * once for each key that a view shows, each time it is read. Undefined for keys without a name. An
   * error is logged, and the key is shown alone.
   */
  keyName?:
    | ((
        ctx: GenericActionCtx<DataModel>,
        key: string,
      ) => string | undefined | Promise<string | undefined>)
    | undefined;
} & (
  | {
      /**
       * What an operator types in to sign in: at least 16 characters of printable ASCII, from an
       * environment variable. If it is undefined, too short, has other characters, or has a space
       * at an end, these paths answer 503, and the rest of the app keeps working.
       */
      secret: string | undefined;
      authorize?: undefined;
    }
  | {
      /**
       * Whether a request may see and change the limits. Return true, or the operator's name, which
       * is added to the stored notes. Anything else refuses the request, and so does an error. The
       * header `Authorization: Bearer` contains what the operator typed in, or the token in the
       * address with which the page was opened: `/rate-limits/#token=…`. The request comes without
       * its body.
       */
      authorize: (
        ctx: GenericActionCtx<DataModel>,
        request: Request,
      ) => AuthorizeReturns;
      secret?: undefined;
    }
);

/**
 * Serves a page that shows who is limited and what is denied, and on which an operator can help one
 * key: reset it, ban it, make it unlimited, or change it.
 *
 * ```ts
 * // convex/http.ts
 * registerDashboard(http, rateLimiter, { secret: process.env.RATE_LIMITS_SECRET });
 * ```
 *
 * The page is at `/rate-limits/` of the deployment's HTTP address (`.convex.site`). It is public
 * and contains no data. Its requests for data need the secret, or must pass `authorize`. Its code
 * is loaded on request, so that the app's other routes do not evaluate it.
 *
 * While the page is visible it reads every few seconds: docs/dashboard.md says what that costs.
 *
 * @throws An `Error` if `options` has an unknown field, if neither a `secret` nor `authorize` is
 * given, or both, or if no address can have this `path`.
 */
export function registerDashboard<DataModel extends GenericDataModel>(
  http: HttpRouter,
  rateLimiter: DashboardLimiter,
  options: DashboardOptions<DataModel>,
): void {
  checkOptions("registerDashboard", DASHBOARD_FIELDS, options);
  const { path = "/rate-limits/", label, keyName, secret, authorize } = options;
  // An undefined secret may be an unset variable, which must not break the app.
  const isOpen = authorize === undefined && !("secret" in options);
  if (isOpen || (authorize !== undefined && secret !== undefined)) {
    throw new Error(
      "registerDashboard: give either a secret or authorize, so that the dashboard is not open to everybody.",
    );
  }
  if (!isPath(path)) {
    throw new Error(
      `registerDashboard: path must be as addresses have it, such as "/rate-limits/", but is "${path}".`,
    );
  }
  const httpAction: HttpActionBuilder = httpActionGeneric;
  const handler = httpAction(
    async (ctx: GenericActionCtx<DataModel>, request) => {
      const { answer } = await import("./answer.js");
      const guard: Guard =
        authorize === undefined
          ? { secret }
          : { authorize: (asked) => authorize(ctx, asked) };
      const nameOf =
        keyName === undefined
          ? undefined
          : async (key: string) => keyName(ctx, key);
      return answer(ctx, request, rateLimiter, guard, { label, nameOf });
    },
  );
  const bare = path.replace(/\/+$/, "");
  for (const route of new Set([bare || "/", `${bare}/`])) {
    http.route({ path: route, method: "GET", handler });
    http.route({ path: route, method: "POST", handler });
  }
}

/**
 * Whether requests can have this path: a browser encodes some characters, resolves `..`, and cuts
 * off what follows `?` or `#`. Routes are compared with what is left.
 */
function isPath(path: string): boolean {
  if (!path.startsWith("/") || path.includes("//")) return false;
  return new URL(`https://host${path}`).pathname === path;
}
