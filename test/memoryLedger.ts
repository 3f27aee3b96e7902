import type { RateLimitConfig } from "../src/core/config.js";
import { phasesOf } from "../src/core/phases.js";
import type { TimedOverride } from "../src/core/vOverride.js";
import { MINUTE } from "../src/core/periods.js";
import type { Row } from "../src/core/row.js";
import { childOf } from "../src/core/tree.js";
import type { Ledger } from "../src/component/stores/ledger.js";
import type { OpenLimit } from "../src/component/calls/open.js";
import { MIDNIGHT } from "./host.js";

/** Rows of a limit as they were written at `MIDNIGHT`, by place; `undefined` is an absent one. */
export const rowsOf = (
  values: readonly (number | undefined)[],
  more: Partial<Row> = {},
): Row[] =>
  values.flatMap((value, shard) =>
    value === undefined
      ? []
      : [{ shard, value, ts: MIDNIGHT, of: values.length, ...more }],
  );

/** Row 0 of a limit that has split itself, and the rows below it, as {@link rowsOf}. */
export const treeOf = (
  values: readonly (number | undefined)[],
  more: Partial<Row> = {},
): Row[] => {
  const fullAt = MIDNIGHT + MINUTE;
  const root = { shard: 0, value: 0, ts: MIDNIGHT, fullAt };
  const below = rowsOf(values, { of: undefined, fullAt, ...more });
  return [
    { ...root, into: values.length },
    ...below.map((row) => ({ ...row, shard: childOf(0, row.shard) })),
  ];
};

/** The rows of one limit and key in memory, and what was read of them. */
class MemoryLedger implements Ledger {
  private readonly steps: string[] = [];
  readonly written: Record<number, number> = {};

  /** @param seen What a look shows, where that is older than what is stored. */
  constructor(
    private readonly rows: readonly Row[],
    private readonly shards: number,
    private readonly seen: readonly Row[] = rows,
  ) {}

  /** What was read, one after the other: rows by their places, looks, or all. */
  get reads(): string {
    return this.steps.join(" ");
  }

  async read(shard?: number): Promise<Row[]> {
    this.steps.push(shard === undefined ? "all" : String(shard));
    return this.rows.filter((row) => row.shard === (shard ?? row.shard));
  }

  async look(first = 0, count = this.shards): Promise<Row[]> {
    const isWhole = count >= this.shards;
    this.steps.push(isWhole ? "look" : `look(${first}, ${count})`);
    return this.seen.filter(({ shard }) => {
      const place = (shard - first + this.shards) % this.shards;
      return isWhole || place < count;
    });
  }

  set(rows: readonly Row[]): void {
    for (const { shard, value } of rows) this.written[shard] = value;
  }

  async reset(): Promise<void> {}

  async save(): Promise<boolean> {
    return false;
  }
}

/** A limit of one call, with rows in memory. */
export function openLimitOf(
  config: RateLimitConfig,
  rows: readonly Row[],
  more: {
    now?: number;
    seen?: readonly Row[] | undefined;
    overrides?: TimedOverride[] | undefined;
  } = {},
): OpenLimit & { ledger: MemoryLedger } {
  const { now = MIDNIGHT, seen, overrides } = more;
  const stored = overrides && { ofKey: overrides, ofLimit: [] };
  const phases = phasesOf("api", undefined, config, stored, now);
  const [{ limit }] = phases;
  // How many rows one that splits itself has is not known to a look.
  const shards = limit.isAuto ? 2 ** 40 : limit.shards;
  const ledger = new MemoryLedger(rows, shards, seen);
  return {
    name: "api",
    key: undefined,
    phases,
    override: undefined,
    ledger,
    now,
  };
}

/** Random numbers that are known: these, one after the other, and then 0. */
export function draws(...numbers: number[]): () => number {
  return () => numbers.shift() ?? 0;
}
