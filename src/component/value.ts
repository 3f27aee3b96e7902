import { v, type Infer } from "convex/values";
import { timeWhenFull } from "../core/bucket.js";
import { reject, type ShownConfig } from "../core/config.js";
import type { Limit } from "../core/limit.js";
import {
  holding,
  holdings,
  isOutdated,
  liveRows,
  total,
  type Row,
} from "../core/rows.js";
import type { Rule, Rules } from "../core/rules.js";
import type { GetValueReturns } from "../core/value.js";
import type { QueryCtx } from "./_generated/server.js";
import type { Ledger } from "./ledger.js";
import { open, vAccount } from "./open.js";

export const vGetValue = v.object({
  ...vAccount.fields,
  sampleShards: v.optional(v.number()),
});

/**
 * What a limit holds and what it takes to project that. Nothing in it depends on the time
 * of the call, but for what has ended by then.
 */
export async function readValue(
  ctx: QueryCtx,
  { sampleShards, ...asked }: Infer<typeof vGetValue>,
  now: number,
  random: () => number,
): Promise<GetValueReturns> {
  const { rules, ledger } = await open(ctx, asked, now);
  const [rule] = rules;
  const { limit, effect } = rule;
  const shards = sampled(limit, sampleShards, random);
  const isSample = shards.length < limit.shards;
  const stored = isSample
    ? await readSome(ledger, shards)
    : await (limit.shards === 1 ? ledger.look() : ledger.all());
  const rows = liveRows(stored, now);
  const at = Math.max(...rows.map(({ ts }) => ts), ...anyTime(limit, rows));
  const held = isSample
    ? shards.map((shard) => {
        const row = rows.find((stored) => stored.shard === shard);
        return holding(limit, row, shard, at);
      })
    : holdings(limit, rows, at);
  const fullest = held.reduce((a, b) => (b.value > a.value ? b : a));
  const value = {
    value: (total(held) * limit.shards) / shards.length,
    ts: Math.max(...held.map(({ ts }) => ts)),
    shard: fullest.shard,
    config: {
      ...shownConfig(rule, rows, now),
      shards: asked.config.shards ?? 1,
    },
    ...(!isSample && details(rules, rows, now)),
  };
  if (value.config.kind === "fixed window") {
    value.config.start = asked.config.start ?? value.ts;
  }
  if (effect === "unlimited") return { ...value, value: limit.whole.capacity };
  if (effect === "limited") return value;
  return { ...value, value: 0, config: { ...value.config, capacity: 0 } };
}

/** The shards to read: all, or so many at random. */
function sampled(
  { name, shards }: Limit,
  sampleShards: number | undefined,
  random: () => number,
): number[] {
  const all = Array.from({ length: shards }, (_, shard) => shard);
  if (sampleShards === undefined) return all;
  if (!Number.isInteger(sampleShards) || sampleShards < 1) {
    const wanted = "a whole number of at least 1";
    reject(name, "sampleShards", wanted, sampleShards);
  }
  if (sampleShards >= shards) return all;
  for (let i = 0; i < sampleShards; i++) {
    const j = i + Math.floor(random() * (shards - i));
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all.slice(0, sampleShards);
}

async function readSome(ledger: Ledger, shards: number[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const shard of shards) {
    const row = await ledger.get(shard);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** When a limit that is not in use is looked at: at any time it is full, and this is one. */
function anyTime({ whole }: Limit, rows: readonly Row[]): number[] {
  if (rows.length > 0) return [];
  const { arrivals, rate } = whole;
  const start = arrivals.startAt(0);
  return [start < 0 ? arrivals.when(start, rate, rate) : start];
}

/** The config with its capacity, and with what only the server can tell. */
function shownConfig(
  { config, limit }: Rule,
  rows: readonly Row[],
  now: number,
): ShownConfig {
  const { enforce } = config;
  const shown = {
    capacity: limit.whole.capacity,
    ...(typeof enforce === "number" && { enforce: limit.enforce }),
  };
  if (config.kind === "token bucket" || config.calendar === undefined) {
    return { ...config, ...shown };
  }
  const { calendar: _, ...rest } = config;
  return { ...rest, ...shown, windows: nextWindows(limit, rows, now) };
}

/** What a client needs besides the balance to project it as the server will. */
function details(
  rules: Rules,
  rows: Row[],
  now: number,
): Pick<GetValueReturns, "rows" | "rules"> {
  const [{ limit, effect }] = rules;
  const isPlain = rules.length === 1 && effect === "limited";
  if (isPlain && rows.every((row) => isToldBySum(limit, row, now))) return {};
  return {
    rows: rows.map((row) => ({
      ...row,
      of: row.of ?? limit.shards,
      capacity: row.capacity ?? limit.usualCapacity,
    })),
    ...(!isPlain && {
      rules: rules.map((rule) => ({
        effect: rule.effect,
        config: gridded(rule, rows, now),
        until: rule.until === Infinity ? undefined : rule.until,
      })),
    }),
  };
}

/** So many windows after the limit is full are told, for pages that stay open. */
const WINDOWS_AHEAD = 14;

/** But of a limit that takes long to be full no more than these. */
const MOST_WINDOWS = 500;

/** When the windows of a limit start, from that of its rows on. */
function nextWindows(
  { whole, share }: Limit,
  rows: readonly Row[],
  now: number,
): number[] {
  const { arrivals, rate } = whole;
  const fullAt = Math.max(now, ...rows.map((row) => timeWhenFull(share, row)));
  let start = arrivals.startAt(Math.min(now, ...rows.map(({ ts }) => ts)));
  const windows = [start];
  let ahead = 0;
  while (ahead < WINDOWS_AHEAD && windows.length < MOST_WINDOWS) {
    start = arrivals.when(start, rate, rate);
    windows.push(start);
    if (start > fullAt) ahead += 1;
  }
  return windows;
}

/** Whether the balance and its time say all that a row does. */
function isToldBySum(limit: Limit, row: Row, now: number): boolean {
  if (limit.shards > 1 || isOutdated(limit, [row], now)) return false;
  return (
    row.fullAt === undefined || row.fullAt === timeWhenFull(limit.share, row)
  );
}

/** The config as it is shown, of a fixed window with a time at which some window starts. */
function gridded(rule: Rule, rows: readonly Row[], now: number): ShownConfig {
  const config = shownConfig(rule, rows, now);
  if (config.kind === "token bucket") return config;
  const start = config.start ?? rule.limit.whole.arrivals.startAt(0);
  return { ...config, start };
}
