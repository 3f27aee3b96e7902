import { limitHttp } from "convex-rate-limiter";
import { registerDashboard } from "convex-rate-limiter/dashboard";
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api.js";
import { httpAction } from "./_generated/server.js";
import { auth } from "./auth.js";
import { rateLimiter } from "./rateLimiter.js";

const http = httpRouter();
auth.addHttpRoutes(http);

/** The operators' page, at /rate-limits/: who is limited, and what is denied. */
registerDashboard(http, rateLimiter, {
  secret: process.env.RATE_LIMITS_SECRET,
});

/** How many messages there are, up to a hundred: for anybody, by address, with headers. */
http.route({
  path: "/feed",
  method: "GET",
  handler: httpAction(
    limitHttp(rateLimiter, "feed", {}, async (ctx) => {
      const messages = await ctx.runQuery(internal.messages.count, {});
      return Response.json({ messages });
    }),
  ),
});

export default http;
