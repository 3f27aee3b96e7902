import type { MutationCtx } from "../../src/component/_generated/server.js";
import type { OpenLimit } from "../../src/verbs/open.js";
import type { Ledger } from "../../src/stores/ledger.js";
import { creditByRows } from "../../src/stores/rows/credit.js";
import { decideByRows, type Rows } from "../../src/stores/rows/decide.js";
import type { Credit, Decision } from "../../src/core/decide.js";
import type { Demand } from "../../src/core/demand.js";
import type { RateLimitConfig } from "../../src/core/config.js";
import { type Limit, ruleOf } from "../../src/core/limit.js";
import { DAY } from "../../src/core/periods.js";
import { type Phases, phasesOf } from "../../src/core/phases.js";
import {
  isUnmigrated,
  rowsAsCounted,
  isUsable,
  rootToStore,
  rootOf,
  type Row,
  type SplitRow,
} from "../../src/core/rows.js";
import { isSplitRow } from "../../src/core/tree.js";
import type { TimedOverride } from "../../src/core/validators.js";
import { MIDNIGHT } from "./host.js";

/**
 * Row 0 of a split limit, and the rows below it with these values, each of at most 10. A row of `undefined` is not
 * stored, and so is full.
 */
export const rowsOf = (
  values: readonly (number | undefined)[],
  more: Partial<Row> = {},
): Row[] => {
  const full = { ts: MIDNIGHT, fullAt: MIDNIGHT + DAY, value: 10 };
  const into = values.length;
  const root = { ...full, shard: 0, value: 10 * into, into, usedAt: 0 };
  const below = values.map((value, nth) => {
    const shard = 1 + nth;
    return value === undefined ? [] : [{ ...full, shard, value, ...more }];
  });
  return [root, ...below.flat()];
};

/** The rows of one limit and key in memory, and what was read of them. */
class MemoryLedger implements Ledger, Rows {
  private readonly steps = new Set<string>();
  readonly written: Record<string, number> = {};
  /** Whether a row below row 0 is in debt. */
  mayOwe = false;
  readonly limit: Limit;
  readonly canLook = true;

  /**
   * @param rows The rows one by one; if they do not fit the limit, the row 0 that is to replace them.
   * @param stored All rows.
   * @param seen The rows that a look shows, which may be older than the stored ones.
   */
  constructor(
    private readonly rows: readonly Row[],
    private readonly stored: readonly Row[],
    private readonly seen: readonly Row[],
    readonly phases: Phases,
    readonly now: number,
  ) {
    this.limit = phases[0].limit;
  }

  /** What was read, in order: rows by their numbers, looks, or "all". */
  get reads(): string {
    return [...this.steps].join(" ");
  }

  decide(demands: readonly Demand[], random: () => number): Promise<Decision> {
    return decideByRows(this, demands, random);
  }

  credit(count: number, random: () => number, shard?: number): Promise<Credit> {
    return creditByRows(this, count, random, shard);
  }

  async sample(): Promise<undefined> {}

  async readSplitRoot(): Promise<SplitRow | undefined> {
    const [root] = await this.read(0);
    return root && isSplitRow(root) ? root : undefined;
  }

  async read(shard?: number): Promise<Row[]> {
    this.steps.add(shard === undefined ? "all" : String(shard));
    return shard === undefined
      ? [...this.stored]
      : this.rows.filter((row) => row.shard === shard);
  }

  async look(range?: { first: number; size: number }): Promise<Row[]> {
    const { first, size } = range ?? { first: 0, size: Infinity };
    this.steps.add(range === undefined ? "look" : `look(${first}, ${size})`);
    return this.seen.filter(
      ({ shard }) => shard >= first && shard < first + size,
    );
  }

  noteContested(): void {}

  set(rows: readonly Row[]): void {
    for (const { shard, value } of rows) {
      this.written[shard] = value;
      this.mayOwe ||= shard > 0 && value < 0;
    }
  }

  async save(): Promise<{ isClose: boolean }> {
    return { isClose: false };
  }
}

/**
 * An open limit with rows in memory. `asStored` is how they are stored once one is written. A row 0 without a rule
 * gets that of the limit.
 */
export function openLimitOf(
  config: RateLimitConfig,
  given: readonly Row[],
  more: {
    now?: number;
    seen?: readonly Row[] | undefined;
    overrides?: TimedOverride[] | undefined;
  } = {},
): OpenLimit & { ledger: MemoryLedger; asStored: readonly Row[] } {
  const { now = MIDNIGHT, overrides = [] } = more;
  const name = "api";
  const phases = phasesOf(name, undefined, config, overrides, now);
  const [{ limit }] = phases;
  const rule = ruleOf(limit);
  const withRule = (rows: readonly Row[]) =>
    rootOf(rows)?.into === undefined
      ? rows
      : rows.map((row) => (row.shard === 0 ? { rule, ...row } : row));
  const stored = withRule(given);
  const root = rootOf(stored);
  const isOwn = stored.length === 0 || !isUnmigrated(root);
  const isCounted = isOwn && isUsable(limit, root, now);
  const rows = isCounted ? stored : rowsAsCounted(limit, stored, now);
  const asStored =
    rows === stored ? rows : rows.map((row) => rootToStore(limit, row, now));
  const ledger = new MemoryLedger(
    rows,
    stored,
    withRule(more.seen ?? stored),
    phases,
    now,
  );
  return { name, key: undefined, phases, ledger, now, asStored };
}

/** The ctx of a call on a ledger in memory, which needs none. */
export const NO_CTX = {} as MutationCtx;

/** In place of `Math.random`: these numbers in order, then 0. */
export function draws(...numbers: number[]): () => number {
  return () => numbers.shift() ?? 0;
}
