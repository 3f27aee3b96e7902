import type { RateLimitConfig } from "../src/core/config.js";
import { phasesOf } from "../src/core/phases.js";
import type { TimedOverride } from "../src/core/vOverride.js";
import { MINUTE } from "../src/core/periods.js";
import type { Limit } from "../src/core/limit.js";
import type { Row } from "../src/core/row.js";
import { renewed, settled } from "../src/core/rows.js";
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
    value === undefined ? [] : [{ shard, value, ts: MIDNIGHT, ...more }],
  );

/** Row 0 of a limit that has split itself, and the rows below it, as {@link rowsOf}. */
export const treeOf = (
  values: readonly (number | undefined)[],
  more: Partial<Row> = {},
): Row[] => {
  const fullAt = MIDNIGHT + MINUTE;
  const root = { shard: 0, value: 0, ts: MIDNIGHT, fullAt };
  const below = rowsOf(values, { fullAt, ...more });
  return [
    { ...root, into: values.length },
    ...below.map((row) => ({ ...row, shard: childOf(0, row.shard) })),
  ];
};

/** The rows of one limit and key in memory, and what was read of them. */
class MemoryLedger implements Ledger {
  protected readonly steps: string[] = [];
  readonly written: Record<string, number> = {};

  /** @param seen What a look shows, where that is older than what is stored. */
  constructor(
    private readonly rows: readonly Row[],
    private readonly shards: number,
    protected readonly seen: readonly Row[] = rows,
    readonly asStored: readonly Row[] = rows,
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

/** Rows by their places, below row 0 of a limit that is full otherwise. */
export function split(limit: Limit, rows: readonly Row[]): Row[] {
  const { shards, whole, rule } = limit;
  const since = { ts: whole.arrivals.startAt(MIDNIGHT), usedAt: 0 };
  const root = { shard: 0, value: whole.capacity, ...since, fullAt: MIDNIGHT };
  const below = rows.map((row) => ({
    fullAt: Number.MAX_SAFE_INTEGER,
    ...row,
    shard: childOf(0, row.shard),
  }));
  return [{ ...root, into: shards, rule }, ...below];
}

/** The same, told by the places of the rows below row 0. */
class PlaceLedger extends MemoryLedger {
  override async read(shard?: number): Promise<Row[]> {
    const rows = await super.read(shard);
    const step = this.steps.pop()!;
    if (shard !== 0)
      this.steps.push(shard === undefined ? step : String(shard - 1));
    return rows;
  }

  override async look(first?: number, count?: number): Promise<Row[]> {
    if (first === undefined) {
      this.steps.push("look");
      return [...this.seen];
    }
    this.steps.push(`look(${first - 1}, ${count})`);
    return this.seen.filter(
      ({ shard }) => shard >= first && shard < first + count!,
    );
  }

  override set(rows: readonly Row[]): void {
    for (const { shard, value } of rows) {
      this.written[shard === 0 ? "row 0" : shard - 1] = value;
    }
  }
}

/** A limit of one call, with rows in memory. */
export function openLimitOf(
  config: RateLimitConfig,
  given: readonly Row[],
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
  const shards = 2 ** 40;
  const told = (row: Row) =>
    row.shard === 0 && row.into !== undefined && row.rule === undefined
      ? { ...row, rule: limit.rule }
      : row;
  const rows = given.map(told);
  // Rows by their places are those below row 0.
  const isByPlace =
    limit.shards > 1 && !rows.some(({ into, fullAt }) => into ?? fullAt);
  if (isByPlace) {
    const ledger = new PlaceLedger(
      split(limit, rows),
      limit.shards,
      seen && split(limit, seen),
    );
    return {
      name: "api",
      key: undefined,
      phases,
      override: undefined,
      ledger,
      now,
    };
  }
  const present = settled(limit, rows, now);
  const stored0 =
    present === rows ? rows : present.map((row) => renewed(limit, row, now));
  const ledger = new MemoryLedger(present, shards, seen?.map(told), stored0);
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
