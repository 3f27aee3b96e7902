import {
  httpActionGeneric,
  type GenericActionCtx,
  type GenericDataModel,
  type HttpActionBuilder,
  type HttpRouter,
} from "convex/server";
import type { Verdict, Way } from "./access.js";
import type { ShownLimiter } from "./answer.js";

export type { ShownLimiter };

/** Who may see the limits and change them, and where the page is. */
export type DashboardOptions<
  DataModel extends GenericDataModel = GenericDataModel,
> = {
  /**
   * Where the page is, below the deployment's HTTP address. With and without a slash at its
   * end.
   * @default "/rate-limits/"
   */
  path?: string | undefined;
} & (
  | {
      /**
       * What an operator types in to sign in: at least 16 characters of printable ASCII, from
       * an environment variable. If it is undefined, too short, or has other characters, these
       * paths answer 503, and the rest of the app goes on.
       */
      secret: string | undefined;
      authorize?: undefined;
    }
  | {
      /**
       * Whether a request may see the limits and change them. True, or the operator's name,
       * which becomes part of the notes that are stored. Anything else is a refusal, and so is
       * an error. What the operator typed in is in the header `Authorization: Bearer`. The
       * request comes without its body.
       */
      authorize: (
        ctx: GenericActionCtx<DataModel>,
        request: Request,
      ) => Verdict;
      secret?: undefined;
    }
);

/**
 * Serves a page that shows who is limited, what is denied, and helps one key: reset, ban, lift
 * or change its limit.
 *
 * ```ts
 * // convex/http.ts
 * registerDashboard(http, rateLimiter, { secret: process.env.RATE_LIMITS_SECRET });
 * ```
 *
 * The page is at `/rate-limits/` of the deployment's HTTP address (`.convex.site`). It is public
 * and holds no data. What it asks for needs the secret, or what `authorize` wants. Whatever it
 * needs is loaded when it is asked for, so that the app's other routes do not evaluate it.
 *
 * While the page is seen it reads every few seconds: see docs/dashboard.md for what that costs.
 *
 * @throws An `Error` if neither a `secret` nor `authorize` is given, or both, or if `path` does
 * not begin with a slash.
 */
export function registerDashboard<DataModel extends GenericDataModel>(
  http: HttpRouter,
  rateLimiter: ShownLimiter,
  options: DashboardOptions<DataModel>,
): void {
  const { path = "/rate-limits/", secret, authorize } = options;
  // A secret that is undefined may be a variable that is not set: that is not the app's end.
  const isOpen = authorize === undefined && !("secret" in options);
  if (isOpen || (authorize !== undefined && secret !== undefined)) {
    throw new Error(
      "registerDashboard: give either a secret or authorize, so that the dashboard is not open to everybody.",
    );
  }
  if (!path.startsWith("/")) {
    throw new Error(
      `registerDashboard: path must begin with a slash, but is "${path}".`,
    );
  }
  const httpAction: HttpActionBuilder = httpActionGeneric;
  const handler = httpAction(
    async (ctx: GenericActionCtx<DataModel>, request) => {
      const { answer } = await import("./answer.js");
      const way: Way =
        authorize === undefined
          ? { secret }
          : { authorize: (request) => authorize(ctx, request) };
      return answer(ctx, request, rateLimiter, way);
    },
  );
  const bare = path.replace(/\/+$/, "");
  for (const route of new Set([bare || "/", `${bare}/`])) {
    http.route({ path: route, method: "GET", handler });
    http.route({ path: route, method: "POST", handler });
  }
}
