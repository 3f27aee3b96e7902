import { UNITS, windowsSince, type Model, type Since } from "../model.js";
import type { Document } from "../../sim/ranges.js";

type Rule = {
  kind: string;
  rate: number;
  period: number;
  capacity: number;
  calendar?: object;
};

type Stored = Since & {
  shard: number;
  value: number;
  fullAt: number;
  usedAt?: number;
  into?: number;
  rule?: Rule;
};

/** A row that holds tokens, stored or not, and how many such rows would be the limit. */
type Leaf = { row: Stored; parts: number };

/** The rows below one that was split, whose numbers are 1,024 times as high and up to 1,024 more. */
function leavesBelow(
  rows: readonly Stored[],
  row: Stored,
  parts: number,
): Leaf[] {
  const { into, shard, value } = row;
  if (into === undefined) return [{ row, parts }];
  return Array.from({ length: into }, (_, nth) => {
    const number = 1024 * shard + nth + 1;
    const below = rows.find((one) => one.shard === number);
    const { into: __, ...part } = row;
    const absent = { ...part, shard: number, value: value / into };
    return leavesBelow(rows, below ?? absent, parts * into);
  }).flat();
}

const text = (calendar: object | undefined) =>
  JSON.stringify(
    Object.entries(calendar ?? {})
      .filter(([, one]) => one !== undefined)
      .sort(),
  );

/**
 * What the rows of a limit hold together: each its part, by the rule that row 0 tells; under another
 * one, what one row would that was written last when one of them was.
 *
 * @param split How the app that was called splits the limit.
 */
export function sumOf(
  rows: readonly Document[],
  model: Model,
  now: number,
  split: number | "auto",
): number | undefined {
  const { config, starts } = model;
  if (config.kind === "concurrency") return undefined;
  const { kind } = config;
  const ruled = model.rule(now);
  const [rate, capacity] = [ruled.rate / UNITS, ruled.capacity / UNITS];
  const { period } = ruled;
  const usual = config.capacity ?? config.rate;
  // No finer than two tokens a row.
  const inUse =
    split === "auto" ? 1 : Math.max(1, Math.min(split, Math.floor(usual / 2)));
  const stored = rows as unknown as Stored[];
  const root = stored.find(({ shard }) => shard === 0);
  if (root === undefined) return stored.length === 0 ? capacity : undefined;
  const gain = (row: Since, to: number, by: Omit<Rule, "capacity">) => {
    const periods = Math.max(0, to - row.ts) / by.period;
    if (by.kind === "token bucket") return periods * by.rate;
    if (starts === undefined) return Math.floor(periods) * by.rate;
    return windowsSince(starts, row, to).n * by.rate;
  };
  const present = { kind, rate, period };
  const ofOne = (row: Stored) =>
    now >= row.fullAt
      ? capacity
      : Math.min(capacity, row.value + gain(row, now, present));
  if (root.into === undefined || root.rule === undefined) return ofOne(root);

  const { rule } = root;
  const leaves = leavesBelow(stored, root, 1);
  const heldAt = (at: number) =>
    leaves
      .map(({ row, parts }) => {
        const full = rule.capacity / parts;
        if (at >= row.fullAt) return full;
        return Math.min(full, row.value + gain(row, at, rule) / parts);
      })
      .reduce((sum, value) => sum + value, 0);
  const calendar = text({
    ...(config as { calendar?: object }).calendar,
    ...((config as { calendar?: object }).calendar && {
      start: (config as { start?: number }).start,
    }),
  });
  const isOfCalendar = text(rule.calendar) === calendar;
  const isSame =
    rule.kind === kind &&
    rule.rate === rate &&
    rule.period === period &&
    rule.capacity === capacity &&
    isOfCalendar &&
    (split === "auto" || root.into === inUse);
  // Whether its windows are those of now is not known here.
  if (isSame && kind === "fixed window" && now >= root.fullAt) return undefined;
  if (isSame) return heldAt(now);
  const fullAt = Math.max(...leaves.map(({ row }) => row.fullAt));
  if (now >= fullAt) return capacity;
  const at = Math.max(...stored.map(({ usedAt, ts }) => usedAt ?? ts));
  if ((starts !== undefined || rule.calendar) && !isOfCalendar)
    return undefined;
  const nexts = leaves.flatMap(({ row }) => row.nextAt ?? []);
  const nextAt = nexts.length > 0 ? Math.max(...nexts) : undefined;
  const windowOf = ({ ts }: Stored) =>
    rule.kind === "token bucket"
      ? Math.max(ts, at)
      : ts + Math.floor(Math.max(0, at - ts) / rule.period) * rule.period;
  if (starts !== undefined) return undefined;
  const ts = Math.max(...leaves.map(({ row }) => windowOf(row)));
  return ofOne({ ...root, value: heldAt(at), ts, nextAt, fullAt });
}
