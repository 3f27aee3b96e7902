import type { Random } from "./random.js";

/** What goes wrong in a deployment. By default, nothing. Shares are from 0 to 1. */
export type FaultRates = {
  /** Share of the scheduled mutations that never start. */
  dropped?: number;
  /** Share of the scheduled mutations that run twice. */
  doubled?: number;
  /** Share of scheduled runs that start `delayMs` later. */
  delayed?: number;
  /** Default 10,000. */
  delayMs?: number;
  /** Share of scheduled runs that abort half way and run again after a system error's backoff. */
  killed?: number;
  /** How long no scheduled mutation starts, from the start of the run. */
  schedulerDeadSeconds?: number | "forever";
  /** Share of all transactions that run 40 times as long. */
  long?: number;
  /** Share of the transactions whose stale queries see an older state than the snapshot. */
  agedLooks?: number;
  /** By at most how many commits that state is older. Default 3. */
  lookAge?: number;
};

const DELAY_MS = 10_000;
const LOOK_AGE = 3;

/** Decides what goes wrong, by rates and a seed. */
export class Faults {
  constructor(
    private readonly rates: FaultRates = {},
    private readonly random: Random,
  ) {}

  /** When a mutation that the scheduler would start at `time` really runs: never, once or twice. */
  runs(time: number): { time: number; isDouble: boolean }[] {
    const { dropped, doubled, delayed, delayMs = DELAY_MS } = this.rates;
    if (this.happens(dropped)) return [];
    const run = (isDouble: boolean) => {
      const startAt = this.happens(delayed) ? time + delayMs : time;
      return { time: Math.max(startAt, this.aliveFrom), isDouble };
    };
    const runs = this.happens(doubled) ? [run(false), run(true)] : [run(false)];
    return runs.filter((one) => one.time < Infinity);
  }

  kills(): boolean {
    return this.happens(this.rates.killed);
  }

  runsLong(): boolean {
    return this.happens(this.rates.long);
  }

  /** By how many commits the stale queries of a transaction lag behind its snapshot. */
  lookAge(): number {
    const { agedLooks, lookAge = LOOK_AGE } = this.rates;
    return this.happens(agedLooks)
      ? 1 + Math.floor(this.random() * lookAge)
      : 0;
  }

  private get aliveFrom(): number {
    const { schedulerDeadSeconds = 0 } = this.rates;
    return schedulerDeadSeconds === "forever"
      ? Infinity
      : schedulerDeadSeconds * 1000;
  }

  private happens(share = 0): boolean {
    return share > 0 && this.random() < share;
  }
}
