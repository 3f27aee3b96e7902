import type { Answered } from "../sim/deployment.js";
import {
  ExactLimit,
  projectExact,
  share,
  type ExactBalance,
  type ScenarioLimit,
} from "./exact.js";
import type { Document } from "../sim/ranges.js";
import { SCHEDULED, type Write } from "../sim/store.js";

type When = Pick<Answered, "now" | "committedAt" | "writes">;
type TokenRequest = { count: number; now: number };

/**
 * What to require of a limiter. "exact": it never grants more than the limit allows, however many
 * calls overlap; with `rows`, it keeps the limit in that many equal rows. "none": nothing.
 */
export type Guarantee = { kind: "exact"; rows?: number } | { kind: "none" };

export type Verdict = {
  /** How far below zero an exact limit goes if it takes the grants in the order of their clocks. */
  overshootTokens: number;
  falseDenials: number;
};

/** A safety property that a limiter broke. */
export class SafetyError extends Error {
  override name = "SafetyError";
}

/**
 * Watches the commits of one limit. Throws a SafetyError as soon as a commit breaks a rule, or in
 * `finish` if more was granted in some interval than the limit allows.
 */
export class Oracle {
  private readonly grants: TokenRequest[] = [];
  private readonly denials: TokenRequest[] = [];
  private readonly inCommitOrder: ExactLimit;
  private falseDenials = 0;

  constructor(
    private readonly config: ScenarioLimit,
    private readonly guarantee: Guarantee,
  ) {
    this.inCommitOrder = new ExactLimit(config);
  }

  granted(count: number, when: When): void {
    const { now, committedAt, writes } = when;
    const { guarantee } = this;
    if (guarantee.kind === "exact" && guarantee.rows !== undefined) {
      this.requireTaken(count, now, writes, guarantee.rows);
    }
    this.grants.push({ count, now });
    this.inCommitOrder.take(count, committedAt);
  }

  /**
   * Returns whether the denial is known at once to be false: the exact limit would have granted it.
   */
  denied(count: number, { now, committedAt, writes }: When): boolean {
    const written = writes.filter(({ table }) => !this.isCounting(table));
    if (written.length > 0) {
      throw new SafetyError(`a denial wrote ${show(written)}`);
    }
    if (this.guarantee.kind !== "exact") {
      this.denials.push({ count, now });
      return false;
    }
    const isFalse = this.inCommitOrder.at(committedAt) >= count;
    if (isFalse) this.falseDenials++;
    return isFalse;
  }

  /**
   * Replays the grants on the exact limit in the order of their clocks, which is the order that the
   * limiter knows. The balance stays above zero exactly if every interval T got at most capacity +
   * rate * T / period.
   */
  finish(): Verdict {
    const verdict = this.inClockOrder();
    const { overshootTokens } = verdict;
    if (this.guarantee.kind === "exact" && overshootTokens > this.tolerance) {
      throw new SafetyError(`over-granted by ${overshootTokens} tokens`);
    }
    return verdict;
  }

  /**
   * Whether a denial may write to this table: only to count the call, and to schedule its folding.
   */
  private isCounting(table: string): boolean {
    return (
      this.config.stats === true && (table === "events" || table === SCHEDULED)
    );
  }

  private requireTaken(
    count: number,
    now: number,
    writes: Write[],
    shards: number,
  ): void {
    const row = share(this.config, shards);
    const rows = writes.filter(({ table }) => table === "rateLimits");
    const sum = (side: "before" | "after") =>
      rows.reduce(
        (total, write) =>
          total + projectExact(asBalance(write[side]), row, now),
        0,
      );
    const taken = sum("before") - sum("after");
    if (Math.abs(taken - count) > this.tolerance) {
      throw new SafetyError(
        `${count} tokens were granted and ${taken} taken from the rows: ${show(rows)}`,
      );
    }
  }

  /**
   * A denial is false here if all grants up to its clock, even those it cannot see, leave enough.
   */
  private inClockOrder(): Verdict {
    const exact = new ExactLimit(this.config);
    const denials = this.denials.sort((a, b) => a.now - b.now);
    let { falseDenials } = this;
    let overshootTokens = 0;
    let judged = 0;
    const judgeBefore = (now: number) => {
      for (; judged < denials.length; judged++) {
        const denial = denials[judged]!;
        if (denial.now >= now) return;
        if (exact.at(denial.now) >= denial.count) falseDenials++;
      }
    };
    for (const { now, count } of this.grants.sort((a, b) => a.now - b.now)) {
      judgeBefore(now);
      const below = -exact.take(count, now);
      if (below > this.tolerance) {
        overshootTokens = Math.max(overshootTokens, below);
      }
    }
    judgeBefore(Infinity);
    return { overshootTokens, falseDenials };
  }

  // Ignores deficits below a millionth of a token, and floating-point errors of projections.
  private get tolerance(): number {
    return 1e-6 + 1e-9 * (this.config.capacity ?? this.config.rate);
  }
}

function asBalance(row: Document | undefined): ExactBalance | undefined {
  if (row === undefined) return undefined;
  const { value, ts } = row;
  if (typeof value !== "number" || typeof ts !== "number") {
    throw new SafetyError(`not a row: ${show(row)}`);
  }
  return { value, ts };
}

// A commit's timestamp is a bigint, which JSON cannot hold.
function show(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "bigint" ? String(item) : item,
  );
}
