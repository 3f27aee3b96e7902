import {
  DAY,
  type LimitConfig,
  type RateLimitConfig,
} from "convex-rate-limiter";
import type { Document } from "../../sim/ranges.js";
import type { Write } from "../../sim/store.js";
import { toStored, type StoredConfig } from "../../src/core/config.js";
import { ruleOf, toLimit } from "../../src/core/limit.js";
import type { Row } from "../../src/core/view.js";
import { partShard } from "../../src/state/spread/tree.js";
import { inComponent, MIDNIGHT, type Host } from "./host.js";
import type { Called } from "./simulatedCalls.js";
import { balanceOf, startApp, type RequestOptions } from "./startApp.js";

/** A bucket of `rate` tokens a day: too slow to refill while a test runs. */
export const dailyBucket = (rate: number) =>
  ({ kind: "token bucket", rate, period: DAY }) as const;

/** A config as it is stored, without advice, which would draw random numbers. */
const quiet = (config: LimitConfig): StoredConfig =>
  config.kind === "concurrency"
    ? config
    : { ...toStored(config), advice: false };

/** A call that takes from the limit `hot` on a simulated deployment. */
export const takeAt = (
  time: number,
  config: LimitConfig,
  count = 1,
): Called => ({
  time,
  ...taking(config.kind, { name: "hot", count, config: quiet(config) }),
});

const taking = (kind: LimitConfig["kind"], request: object) =>
  kind === "concurrency"
    ? { name: "verbs:holdAll", args: { limits: [request] } }
    : { name: "lib:rateLimit", args: { ...request } };

/** Follows which rows a simulated deployment stores. */
export function rowsByNow() {
  const byId = new Map<string, Document>();
  const fields = new Set<string>();
  return {
    watch: (writes: readonly Write[]) => {
      for (const { table, before, after } of writes) {
        if (table !== "rateLimits") continue;
        if (after === undefined) byId.delete(before!._id);
        else byId.set(after._id, after);
        for (const field in after) fields.add(field);
      }
    },
    rows: () =>
      [...byId.values()].sort(
        (a, b) => Number(a.shard) - Number(b.shard),
      ) as unknown as Row[],
    fields: () => [...fields].filter((field) => !field.startsWith("_")).sort(),
  };
}

export const hundredADay = { ...dailyBucket(100), shards: "auto" } as const;

/** An app with the limit `hot`. */
export function startHot(config: RateLimitConfig = hundredADay) {
  const app = startApp({ hot: config });
  return {
    ...app,
    take: (count = 1, more: RequestOptions = {}) =>
      app.limit("hot", { count, ...more }),
    balance: () => balanceOf(app, "hot"),
  };
}

export const hotRow = (shard: number, held: number, more: object = {}) => ({
  name: "hot",
  shard,
  value: held,
  ts: MIDNIGHT,
  fullAt: MIDNIGHT + DAY,
  ...more,
});

export const RULE = ruleOf(toLimit("hot", hundredADay));

/** Four rows, of which two are stored, and one of these is split once more: 60 tokens. */
export const TREE = [
  hotRow(0, 80, { into: 4, rule: RULE }),
  hotRow(1, 5),
  hotRow(3, 15, { into: 3 }),
  hotRow(partShard(3, 2), 5),
];

export const storeHotRows = (
  t: Host,
  rows: readonly ReturnType<typeof hotRow>[],
) =>
  inComponent(t, async (ctx) => {
    for (const one of rows) await ctx.db.insert("rateLimits", one);
  });
