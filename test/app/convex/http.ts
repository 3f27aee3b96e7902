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

/** Holds a thousand tokens, sends words, and settles those it has sent: after it has returned. */
http.route({
  path: "/words",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const { searchParams } = new URL(request.url);
    const key = searchParams.get("key") ?? undefined;
    const words = Number(searchParams.get("words"));
    const count = 1000;
    const held = await rateLimiter.hold(ctx, "words", { key, count });
    if (!held.ok) return new Response(null, { status: 429 });
    let sent = 0;
    const settle = async () =>
      void (await rateLimiter.settle(ctx, held.id, { count: sent }));
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      pull: async (reader) => {
        if (sent === words) {
          await settle();
          return reader.close();
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
        sent += 1;
        reader.enqueue(encoder.encode("word "));
      },
      // The reader went away.
      cancel: settle,
    });
    return new Response(body);
  }),
});

export default http;
