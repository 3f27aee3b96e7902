import { DAY, MINUTE, RateLimiter } from "convex-rate-limiter";
import { v } from "convex/values";
import { components } from "./_generated/api.js";
import { httpAction, mutation } from "./_generated/server.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  search: { kind: "token bucket", rate: 100, period: MINUTE, stats: true },
  report: { kind: "fixed window", rate: 20, period: MINUTE, stats: true },
});

export const use = mutation({
  args: { name: v.union(v.literal("search"), v.literal("report")) },
  handler: (ctx, { name }) => rateLimiter.limit(ctx, name),
});

/** For `http.route({ path: "/metrics", method: "GET", handler: metrics })`. */
export const metrics = httpAction(async (ctx, request) => {
  const token = process.env.METRICS_TOKEN;
  const given = request.headers.get("Authorization");
  if (token === undefined || given !== `Bearer ${token}`) {
    return new Response("Unauthorized", { status: 401 });
  }
  const to = Date.now() + 1;
  // Counters begin anew at midnight UTC; scrapers know what to make of that.
  const from = Math.floor(to / DAY) * DAY;
  const counted: Counted[] = [];
  for (const limit of ["search", "report"] as const) {
    const range = { from, to, by: "hour" } as const;
    const hours = await rateLimiter.stats(ctx, limit, range);
    counted.push({
      limit,
      allowed: hours.reduce((sum, { granted }) => sum + granted, 0),
      denied: hours.reduce((sum, { denied }) => sum + denied, 0),
    });
  }
  return new Response(toOpenMetrics(counted, from), {
    headers: {
      "Content-Type":
        "application/openmetrics-text; version=1.0.0; charset=utf-8",
      "Cache-Control": "no-store",
    },
  });
});

type Counted = { limit: string; allowed: number; denied: number };

export function toOpenMetrics(counted: Counted[], since: number): string {
  const lines: string[] = [];
  for (const what of ["allowed", "denied"] as const) {
    const family = `rate_limit_${what}`;
    lines.push(`# TYPE ${family} counter`);
    lines.push(`# HELP ${family} Calls of rate limits that were ${what}.`);
    for (const one of counted) {
      const labels = `{limit="${escape(one.limit)}"}`;
      lines.push(`${family}_total${labels} ${one[what]}`);
      lines.push(`${family}_created${labels} ${since / 1000}`);
    }
  }
  return [...lines, "# EOF", ""].join("\n");
}

function escape(label: string): string {
  return label
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n");
}
