import { Commits, type View } from "./commits.js";
import { resolve } from "./commitTs.js";
import { Mounts, type Address, type Component } from "./components.js";
import { cronRuns } from "./crons.js";
import { Faults, type FaultRates } from "./faults.js";
import { runFunction } from "./functions.js";
import { withGlobals } from "./globals.js";
import { LOOKS_ONLY, timeOf, type Prices } from "./prices.js";
import { seededRandom, type Random } from "./random.js";
import type { Document } from "./ranges.js";
import type { ScheduledFunction } from "./scheduler.js";
import { SCHEDULED, type Write } from "./store.js";
import { Machine } from "./machine.js";
import { Timeline } from "./timeline.js";
import { noCounts, Transaction, type Counts } from "./transaction.js";

// The model. bench/RESULTS.md says where each number comes from.
const VISIBLE_AFTER_MS = 5;
const RETRIES = 4;
const CALL_BACKOFF = { firstMs: 100, maxMs: 2_000 };
const SCHEDULED_BACKOFF = { firstMs: 100, maxMs: 60_000 };
const KILLED_BACKOFF = { firstMs: 500, maxMs: 7_200_000 };
const SCHEDULED_AFTER_MS = 50;
const LONG_FACTOR = 40;

// A multiple of every period in use, so a fixed window begins with the run.
const EPOCH_MS = Date.UTC(2026, 0, 1);

export type Setting = Component & {
  /** How long a transaction runs on average, without what is priced. */
  executionMs: number;
  seed: number;
  /** How many transactions run at full speed at once. Default any number. */
  cores?: number;
  /** What else takes time. Default: looks only, so `executionMs` includes all the rest. */
  prices?: Prices;
  /** The clock when the run begins. Default 1 January 2026. */
  epochMs?: number;
  /** How long after its due time a scheduled mutation starts. Default 50. */
  scheduledAfterMs?: number;
  /** Default none. */
  faults?: FaultRates;
  /** Whether the components' crons run. Default false. */
  crons?: boolean;
  /** The clock error of a transaction that begins at this time. Default 0. */
  clockErrorMs?: (atMs: number) => number;
  /** Called for each commit that writes, in commit order, before its call is answered. */
  watch?: (writes: Write[]) => void;
};

type Call = {
  address: Address;
  args: Record<string, unknown>;
  calledAt: number;
  conflicts: number;
  counts: Counts;
  answer: (answer: CallAnswer) => void;
};

/** A scheduled mutation. Crons and doubles have no record, so nobody can cancel them. */
type Job = {
  address: Address;
  args: Record<string, unknown>;
  record?: string;
  conflicts: number;
  kills: number;
};

/** What became of a call. */
export type CallAnswer = GaveUp | Answered;

type Tried = {
  /** How often it conflicted. */
  conflicts: number;
  /** What all of its attempts did. */
  counts: Counts;
};

export type GaveUp = Tried & { kind: "gave up" };

export type Answered = Tried & {
  kind: "answered";
  returned: Returned;
  /** The clock that the function saw. */
  now: number;
  /** When its last attempt took its snapshot. */
  beganAt: number;
  /** When it was validated. Answers come in this order. */
  committedAt: number;
  /** When others see what it wrote. */
  visibleAt: number;
  /** How many commits its snapshot shows, and how many there are now. */
  seen: number;
  commits: number;
  latencyMs: number;
  /** With the commit's timestamp in place of each placeholder. */
  writes: Write[];
};

export type Returned = { value: unknown } | { error: unknown };

type Attempt = {
  /** How many commits its snapshot shows. */
  seen: number;
  beganAt: number;
  now: number;
  transaction: Transaction;
  returned: Returned;
};

/**
 * A Convex deployment in virtual time. A mutation runs on a snapshot taken when it begins. At its
 * end it is validated, and runs again if something that it read has changed. Same seed, same run.
 */
export class Deployment {
  /** Sums over all attempts of calls. */
  readonly totals = {
    conflicts: 0,
    rowsRead: 0,
    rowsPeeked: 0,
    rowsWritten: 0,
  };
  /** What the attempts of scheduled mutations did. */
  readonly scheduled = { runs: 0, conflicts: 0, rowsRead: 0, rowsPeeked: 0 };
  /** What scheduled mutations threw. */
  readonly scheduledErrors: unknown[] = [];
  /** Documents deleted, by calls or by scheduled mutations. */
  deletions = 0;
  private readonly mounts: Mounts;
  private readonly commits: Commits;
  private readonly faults: Faults;
  private readonly timeline = new Timeline();
  private readonly machine: Machine;
  private readonly executionRandom: Random;
  private readonly backoffRandom: Random;
  private readonly functionRandom: Random;
  private readonly epochMs: number;
  private unanswered = 0;

  constructor(private readonly setting: Setting) {
    const { seed, epochMs = EPOCH_MS, cores = Infinity } = setting;
    this.machine = new Machine(this.timeline, cores);
    this.epochMs = epochMs;
    this.mounts = new Mounts(setting);
    this.commits = new Commits(this.mounts, nanoseconds(0));
    this.faults = new Faults(setting.faults, seededRandom(seed, "faults"));
    this.executionRandom = seededRandom(seed, "execution");
    this.backoffRandom = seededRandom(seed, "backoff");
    this.functionRandom = seededRandom(seed, "functions");
    if (setting.crons) this.startCrons();
  }

  /**
   * Calls a mutation ("module:export") `atMs` after the beginning of the run.
   *
   * @throws An `Error` if there is no function of this name.
   */
  call(
    atMs: number,
    name: string,
    args: Record<string, unknown>,
    answer: (answer: CallAnswer) => void,
  ): void {
    const address = { path: "", name };
    this.mounts.function(address);
    const call: Call = {
      address,
      args,
      answer,
      calledAt: atMs,
      conflicts: 0,
      counts: noCounts(),
    };
    this.unanswered++;
    this.timeline.at(atMs, () => this.attempt(call));
  }

  /** Runs until the last call is answered. Scheduled functions run no longer than that. */
  async run(): Promise<void> {
    await this.timeline.runWhile(() => this.unanswered > 0);
  }

  private async attempt(call: Call): Promise<void> {
    const attempt = await this.execute(call);
    this.count(call, attempt.transaction);
    this.machine.run(this.duration(attempt), () => {
      if (this.conflicts(attempt)) this.retry(call);
      else this.answer(call, attempt);
    });
  }

  private async execute(
    { address, args }: Call | Job,
    record?: string,
  ): Promise<Attempt> {
    const { commits, faults, mounts } = this;
    const beganAt = this.timeline.now;
    const { clockErrorMs = () => 0 } = this.setting;
    const now = this.epochMs + Math.floor(beganAt + clockErrorMs(beganAt));
    commits.showUntil(beganAt);
    const { store, ts, commits: seen } = commits.view();
    let seenByLooks: View | undefined;
    const look = () => (seenByLooks ??= commits.view(faults.lookAge()));
    const transaction = new Transaction({ store, ts, mounts, now, look });
    if (record !== undefined) transaction.begin(record);
    const returned = await withGlobals(mounts, now, this.functionRandom, () =>
      settle(runFunction(transaction, address, args)),
    );
    return { seen, beganAt, now, transaction, returned };
  }

  private duration({ transaction }: Attempt): number {
    const { executionMs, prices = LOOKS_ONLY } = this.setting;
    const durationMs =
      executionMs * (0.6 + 0.8 * this.executionRandom()) +
      timeOf(transaction.counts, prices);
    return this.faults.runsLong() ? durationMs * LONG_FACTOR : durationMs;
  }

  private conflicts({ transaction, seen, returned }: Attempt): boolean {
    return (
      !("error" in returned) &&
      transaction.writes.length > 0 &&
      this.commits.conflicts(transaction.reads, seen)
    );
  }

  private answer(call: Call, attempt: Attempt): void {
    const { transaction, now, beganAt, seen } = attempt;
    const committedAt = this.timeline.now;
    let { returned } = attempt;
    let writes: Write[] = [];
    if (!("error" in returned)) {
      const committed = this.commit(transaction);
      writes = committed.writes;
      if (transaction.usesCommitTs) {
        const value = resolve(returned.value as never, committed.ts);
        returned = { value };
      }
    }
    const visibleAt =
      writes.length > 0 ? committedAt + VISIBLE_AFTER_MS : committedAt;
    this.unanswered--;
    call.answer({
      kind: "answered",
      conflicts: call.conflicts,
      counts: call.counts,
      returned,
      now,
      beganAt: this.epochMs + beganAt,
      committedAt: this.epochMs + committedAt,
      visibleAt: this.epochMs + visibleAt,
      seen,
      commits: this.commits.count,
      latencyMs: visibleAt - call.calledAt,
      writes,
    });
  }

  private commit(transaction: Transaction) {
    const { now } = this.timeline;
    const visibleAt = now + VISIBLE_AFTER_MS;
    const committed = this.commits.add(
      transaction,
      nanoseconds(now),
      visibleAt,
    );
    if (committed.writes.length > 0) this.setting.watch?.(committed.writes);
    for (const { table, before, after } of committed.writes) {
      if (table === SCHEDULED) {
        if (before === undefined) this.schedule(after!);
      } else if (before !== undefined && after === undefined) {
        this.deletions++;
      }
    }
    return committed;
  }

  private retry(call: Call): void {
    this.totals.conflicts++;
    const retries = call.conflicts++;
    if (retries === RETRIES) {
      this.unanswered--;
      const { conflicts, counts } = call;
      call.answer({ kind: "gave up", conflicts, counts });
      return;
    }
    this.afterBackoff(CALL_BACKOFF, retries, () => this.attempt(call));
  }

  /** Makes another attempt after a random backoff that doubles with each retry. */
  private afterBackoff(
    { firstMs, maxMs }: typeof CALL_BACKOFF,
    retries: number,
    attempt: () => Promise<void>,
  ): void {
    const longest = Math.min(firstMs * 2 ** retries, maxMs);
    this.timeline.after(longest * this.backoffRandom(), attempt);
  }

  private count(call: Call, { counts }: Transaction): void {
    const { totals } = this;
    totals.rowsRead += counts.rowsRead;
    totals.rowsPeeked += counts.rowsPeeked;
    totals.rowsWritten += counts.rowsWritten;
    for (const what of Object.keys(counts) as (keyof Counts)[]) {
      call.counts[what] += counts[what];
    }
  }

  private schedule(record: Document): void {
    const { path, name, args, scheduledTime, state } =
      record as unknown as ScheduledFunction;
    if (state.kind !== "pending") return;
    const dueAt = Math.max(scheduledTime - this.epochMs, this.timeline.now);
    this.start({ address: { path, name }, args, record: record._id }, dueAt);
  }

  private start(
    job: Pick<Job, "address" | "args" | "record">,
    dueAt: number,
  ): void {
    const { scheduledAfterMs = SCHEDULED_AFTER_MS } = this.setting;
    // The scheduler, too, sees a commit only once it is visible.
    const afterMs = Math.max(scheduledAfterMs, VISIBLE_AFTER_MS);
    for (const run of this.faults.runs(dueAt + afterMs)) {
      const { address, args, record } = job;
      const fresh: Job = { address, args, conflicts: 0, kills: 0 };
      if (!run.isDouble && record !== undefined) fresh.record = record;
      this.timeline.at(run.time, () => this.attemptJob(fresh));
    }
  }

  private startCrons(): void {
    for (const { address, args, everyMs, firstMs } of cronRuns(this.mounts)) {
      const tick = (time: number) =>
        this.timeline.at(time, () => {
          this.start({ address, args }, time);
          tick(time + everyMs);
        });
      tick(firstMs);
    }
  }

  private async attemptJob(job: Job): Promise<void> {
    const { record } = job;
    if (record !== undefined && !this.isPending(record)) return;
    const attempt = await this.execute(job, record);
    const { counts } = attempt.transaction;
    this.scheduled.runs++;
    this.scheduled.rowsRead += counts.rowsRead;
    this.scheduled.rowsPeeked += counts.rowsPeeked;
    const durationMs = this.duration(attempt);
    if (this.faults.kills()) {
      this.machine.run(durationMs / 2, () =>
        this.afterBackoff(KILLED_BACKOFF, job.kills++, () =>
          this.attemptJob(job),
        ),
      );
      return;
    }
    this.machine.run(durationMs, () => this.endJob(job, attempt));
  }

  private endJob(job: Job, { transaction, seen, returned }: Attempt): void {
    const failed = "error" in returned;
    transaction.end(failed ? "failed" : "success", job.record);
    const { writes, reads } = transaction;
    if (writes.length > 0 && this.commits.conflicts(reads, seen)) {
      this.scheduled.conflicts++;
      this.afterBackoff(SCHEDULED_BACKOFF, job.conflicts++, () =>
        this.attemptJob(job),
      );
      return;
    }
    if (failed) this.scheduledErrors.push(returned.error);
    this.commit(transaction);
  }

  private isPending(record: string): boolean {
    this.commits.showUntil(this.timeline.now);
    const document = this.commits.view().store.get(SCHEDULED, record);
    const { state } = document as unknown as ScheduledFunction;
    return state.kind === "pending";
  }
}

function nanoseconds(atMs: number): bigint {
  return BigInt(EPOCH_MS) * 1_000_000n + BigInt(Math.floor(atMs * 1e6));
}

async function settle(running: Promise<unknown>): Promise<Returned> {
  try {
    return { value: await running };
  } catch (error) {
    return { error };
  }
}
