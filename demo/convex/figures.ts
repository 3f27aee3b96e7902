import { HOUR } from "convex-rate-limiter";
import { v, type Infer } from "convex/values";
import { query } from "./_generated/server.js";
import { rateLimiter } from "./limits.js";
import { requireSession } from "./session.js";

/** The limits that count their calls: those with `stats` in their config. */
export const vCounted = v.union(
  v.literal("sendMessage"),
  v.literal("user"),
  v.literal("upload"),
);

const vHour = v.object({
  minutes: v.array(
    v.object({ from: v.number(), granted: v.number(), denied: v.number() }),
  ),
  /** Whom the limit denied most, by the name that the page has for the key. */
  keys: v.array(v.object({ title: v.string(), denied: v.number() })),
});

/**
 * What a limit has granted and denied in this hour, minute by minute, and the keys behind
 * the denials. For operators; a real app asks for an administrator first.
 *
 * The hour is the server's, so that the page has nothing to do while nothing happens.
 */
export const thisHour = query({
  args: { session: v.string(), name: vCounted },
  returns: vHour,
  handler: async (ctx, args): Promise<Infer<typeof vHour>> => {
    const session = requireSession(args.session);
    const from = Math.floor(Date.now() / HOUR) * HOUR;
    const range = { from, to: from + HOUR };
    const minutes = await rateLimiter.stats(ctx, args.name, {
      ...range,
      by: "minute",
    });
    const keys = await rateLimiter.topDenied(ctx, args.name, {
      ...range,
      limit: 100,
    });
    const denials = new Map<string, number>();
    for (const { key, denied } of keys) {
      const title = titleOf(key, session);
      denials.set(title, (denials.get(title) ?? 0) + denied);
    }
    return {
      minutes: minutes.map(({ from, granted, denied }) => ({
        from,
        granted,
        denied,
      })),
      keys: [...denials]
        .map(([title, denied]) => ({ title, denied }))
        .sort((a, b) => b.denied - a.denied)
        .slice(0, 5),
    };
  },
});

/** No visitor is shown another one's key. */
function titleOf(key: string, session: string): string {
  if (key === session) return "You";
  const prefix = `${session}/`;
  return key.startsWith(prefix) ? key.slice(prefix.length) : "Other visitors";
}
