import { project, share, type Balance, type LimitConfig } from "./exact.js";
import type { Document } from "./ranges.js";
import type { Write } from "./store.js";

type Grant = { now: number; count: number };

/** A safety property that a limiter broke. */
export class SafetyError extends Error {
  override name = "SafetyError";
}

/**
 * Watches the commits of one limit. Throws a SafetyError as soon as a commit breaks a rule, or in `finish`
 * when some interval was granted more than the limit allows.
 */
export class Oracle {
  private readonly grants: Grant[] = [];
  private readonly row: LimitConfig;
  private balance: Balance | undefined;

  /** `rows` is how many rows the limiter splits this limit over. */
  constructor(
    private readonly config: LimitConfig,
    rows: number,
  ) {
    this.row = share(config, rows);
  }

  /** `now` is the transaction's own clock, `committedAt` when its writes were validated. */
  granted(count: number, now: number, committedAt: number, writes: Write[]) {
    const rows = writes.filter(({ table }) => table === "rateLimits");
    const taken = this.sum(rows, "before", now) - this.sum(rows, "after", now);
    if (Math.abs(taken - count) > this.tolerance) {
      throw new SafetyError(
        `${count} tokens were granted and ${taken} taken from the rows: ${JSON.stringify(rows)}`,
      );
    }
    this.grants.push({ now, count });
    this.balance = {
      value: project(this.balance, this.config, committedAt) - count,
      ts: committedAt,
    };
  }

  /** Says whether a request denied at `committedAt` would have fitted the unsharded limit. */
  denied(count: number, committedAt: number, writes: Write[]): boolean {
    if (writes.length > 0) {
      throw new SafetyError(`a denial wrote ${JSON.stringify(writes)}`);
    }
    return project(this.balance, this.config, committedAt) >= count;
  }

  /**
   * Replays the grants on the exact limit in the order of their clocks, which is the order that the limiter
   * knows. The balance stays above zero exactly if every interval T got at most capacity + rate * T / period.
   */
  finish(): void {
    let balance: Balance | undefined;
    for (const { now, count } of this.grants.sort((a, b) => a.now - b.now)) {
      const value = project(balance, this.config, now) - count;
      if (value < -this.tolerance) {
        throw new SafetyError(`over-granted by ${-value} tokens at ${now}`);
      }
      balance = { value, ts: now };
    }
  }

  private sum(rows: Write[], side: "before" | "after", now: number): number {
    let sum = 0;
    for (const row of rows) sum += project(asBalance(row[side]), this.row, now);
    return sum;
  }

  // Deficits below a millionth of a token count as none; projections in floating point add their own error.
  private get tolerance(): number {
    return 1e-6 + 1e-9 * (this.config.capacity ?? this.config.rate);
  }
}

function asBalance(row: Document | undefined): Balance | undefined {
  if (row === undefined) return undefined;
  const { value, ts } = row;
  if (typeof value !== "number" || typeof ts !== "number") {
    throw new SafetyError(`not a row: ${JSON.stringify(row)}`);
  }
  return { value, ts };
}
