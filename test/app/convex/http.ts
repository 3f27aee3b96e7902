import { ipKey, rateLimitHeaders, tooManyRequests } from "convex-rate-limiter";
import { registerDashboard } from "convex-rate-limiter/dashboard";
import { httpRouter } from "convex/server";
import { httpAction } from "./_generated/server.js";
import { rateLimiter } from "./rateLimiter.js";

const http = httpRouter();

/** Who is limited, and what is denied: a page for operators. */
registerDashboard(http, rateLimiter, {
  secret: process.env.RATE_LIMITS_SECRET,
});

/** Five requests in ten seconds for each address, and headers that say so. */
http.route({
  path: "/quote",
  method: "GET",
  handler: httpAction(async (ctx) => {
    const { ip } = await ctx.meta.getRequestMetadata();
    const status = await rateLimiter.limit(ctx, "quotes", {
      key: ip === null ? "unknown address" : ipKey(ip),
      details: true,
    });
    const shown = { name: "quotes", config: rateLimiter.limits?.quotes };
    if (!status.ok) return tooManyRequests(status, shown);
    return new Response("Well begun is half done.\n", {
      headers: rateLimitHeaders(status, shown),
    });
  }),
});

export default http;
