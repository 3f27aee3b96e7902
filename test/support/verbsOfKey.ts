import {
  MINUTE,
  type ActionCtx,
  type LimitConfig,
  type RateLimiter,
  type SchedulingCtx,
} from "convex-rate-limiter";
import { note } from "./noteJob.js";

export type Ctx = SchedulingCtx & ActionCtx;

const plan = {
  kind: "token bucket",
  rate: 4,
  period: MINUTE,
  requireKey: true,
} as const;

/**
 * Each verb that is about a key, called on the limit `message`, which refills, or on the
 * concurrency limit `render`.
 */
export const verbsOfKey = {
  limit: (of, ctx, key) => of.limit(ctx, "message", key),
  "limit, with a config": (of, ctx, key) =>
    of.limit(ctx, "message", { ...key, config: plan }),
  check: (of, ctx, key) => of.check(ctx, "message", key),
  "check, of what runs at once": (of, ctx, key) => of.check(ctx, "render", key),
  limitAll: (of, ctx, key) =>
    of.limitAll(ctx, [
      { name: "message", key: "other" },
      { name: "message", ...key },
    ]),
  checkAll: (of, ctx, key) =>
    of.checkAll(ctx, [
      { name: "message", key: "other" },
      { name: "message", ...key },
    ]),
  getValue: (of, ctx, key) => of.getValue(ctx, "message", key),
  reset: (of, ctx, key) => of.reset(ctx, "message", key),
  credit: (of, ctx, key) => of.credit(ctx, "message", key),
  "credit, from another plan": (of, ctx, key) =>
    of.credit(ctx, "message", { ...key, config: plan, from: plan }),
  charge: (of, ctx, key) => of.charge(ctx, "message", key),
  hold: (of, ctx, key) => of.hold(ctx, "message", key),
  "hold, of what runs at once": (of, ctx, key) => of.hold(ctx, "render", key),
  holdAll: (of, ctx, key) =>
    of.holdAll(ctx, [
      { name: "message", key: "other" },
      { name: "render", ...key },
    ]),
  schedule: (of, ctx, key) =>
    of.schedule(ctx, "message", { fn: note, args: { text: "a" }, ...key }),
  whileHolding: (of, ctx, key) => of.whileHolding(ctx, "render", key, () => 1),
  "whileHolding, of a list": (of, ctx, key) =>
    of.whileHoldingAll(ctx, [{ name: "message", ...key }], () => 1),
} as const satisfies Record<
  string,
  (
    of: RateLimiter<Record<string, LimitConfig>>,
    ctx: Ctx,
    key: { key: string },
  ) => Promise<unknown>
>;
