import { ipKey, rateLimitHeaders, tooManyRequests } from "convex-rate-limiter";
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api.js";
import { httpAction } from "./_generated/server.js";
import { auth } from "./auth.js";
import { rateLimiter } from "./rateLimiter.js";

const http = httpRouter();
auth.addHttpRoutes(http);

/** How many messages there are, up to a hundred: for anybody, thirty times a minute. */
http.route({
  path: "/feed",
  method: "GET",
  handler: httpAction(async (ctx) => {
    const { ip } = await ctx.meta.getRequestMetadata();
    const status = await rateLimiter.limit(ctx, "feed", {
      key: ip === null ? "no address" : ipKey(ip),
      details: true,
    });
    const shown = { name: "feed", config: rateLimiter.limits?.feed };
    if (!status.ok) return tooManyRequests(status, shown);
    const messages = await ctx.runQuery(internal.messages.count, {});
    return Response.json(
      { messages },
      { headers: rateLimitHeaders(status, shown) },
    );
  }),
});

export default http;
