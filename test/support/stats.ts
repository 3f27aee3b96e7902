import { HOUR, MINUTE, type LimitConfig } from "convex-rate-limiter";
import { bucket } from "./startApp.js";
import { components, type Host } from "./host.js";

const hourly = { ...bucket(4), period: HOUR, stats: true };

/** A limit of each mode, all with stats. */
export const counting = {
  bucket: { ...hourly, overrides: true },
  window: {
    kind: "fixed window",
    rate: 4,
    period: 10 * MINUTE,
    start: 0,
    stats: true,
  },
  split: { ...hourly, shards: 2 },
  dryRun: { ...hourly, rate: 2, enforce: false },
  held: { kind: "concurrency", capacity: 3, lease: 20 * MINUTE, stats: true },
} satisfies Record<string, LimitConfig>;

/** How often a key was denied, by the hour. */
export const deniedHours = (
  t: Host,
  name: string,
  key: string,
  from: number,
  to: number,
) =>
  t.query((ctx) =>
    ctx.runQuery(components.rateLimiter.operators.deniedOf, {
      name,
      key,
      from,
      to,
    }),
  );
