import {
  ipKey,
  MINUTE,
  rateLimitHeaders,
  RateLimiter,
  tooManyRequests,
} from "convex-rate-limiter";
import { httpRouter } from "convex/server";
import { components } from "./_generated/api.js";
import { httpAction } from "./_generated/server.js";

const limits = {
  quotes: { kind: "token bucket", rate: 60, period: MINUTE },
} as const;
const rateLimiter = new RateLimiter(components.rateLimiter, limits);

const http = httpRouter();

http.route({
  path: "/quote",
  method: "GET",
  handler: httpAction(async (ctx) => {
    const { ip } = await ctx.meta.getRequestMetadata();
    const status = await rateLimiter.limit(ctx, "quotes", {
      key: ip === null ? "no address" : ipKey(ip),
      details: true,
    });
    const shown = { name: "quotes", config: limits.quotes };
    if (!status.ok) return tooManyRequests(status, shown);
    return Response.json(
      { quote: "More haste, less speed." },
      { headers: rateLimitHeaders(status, shown) },
    );
  }),
});

export default http;
