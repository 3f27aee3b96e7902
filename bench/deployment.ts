import type { GenericSchema, SchemaDefinition } from "convex/server";
import { seededRandom, type Random } from "./random.js";
import { position, type Range } from "./ranges.js";
import { Store, type Write } from "./store.js";
import { Timeline } from "./timeline.js";
import { Transaction, type Modules } from "./transaction.js";

// The model. Where each number comes from: docs/scaling.md.
const VISIBLE_AFTER_MS = 5;
const STALE_QUERY_MS = 3;
const RETRIES = 4;
const BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 2_000;

// On the grid of every period in use, so that a fixed window begins with the run.
const EPOCH_MS = Date.UTC(2026, 0, 1);

export type Setting = {
  schema: SchemaDefinition<GenericSchema, boolean>;
  modules: Modules;
  /** How long a transaction runs on average. */
  executionMs: number;
  seed: number;
};

type Call = {
  name: string;
  args: Record<string, unknown>;
  calledAt: number;
  conflicts: number;
  answer: (answer: Answer) => void;
};

/** What became of a call. */
export type Answer =
  | { kind: "gave up"; conflicts: number }
  | {
      kind: "answered";
      /** How often it had to begin again. */
      conflicts: number;
      returned: Returned;
      /** The clock that the function saw. */
      now: number;
      /** When it was validated. Answers come in this order. */
      committedAt: number;
      latencyMs: number;
      writes: Write[];
    };

export type Returned = { value: unknown } | { error: unknown };

/**
 * A Convex deployment in virtual time: mutations run on the snapshot of their beginning, are validated at
 * their end and run again if something that they read has changed. Same seed, same run.
 */
export class Deployment {
  readonly totals = {
    conflicts: 0,
    rowsRead: 0,
    rowsPeeked: 0,
    rowsWritten: 0,
  };
  private readonly store: Store;
  private readonly commits: Commits;
  private readonly timeline = new Timeline();
  private readonly executionRandom: Random;
  private readonly backoffRandom: Random;
  private readonly functionRandom: Random;

  constructor(private readonly setting: Setting) {
    this.store = new Store(setting.schema);
    this.commits = new Commits(this.store);
    this.executionRandom = seededRandom(setting.seed, "execution");
    this.backoffRandom = seededRandom(setting.seed, "backoff");
    this.functionRandom = seededRandom(setting.seed, "functions");
  }

  /** Calls a mutation ("module:export") `atMs` after the beginning of the run. */
  call(
    atMs: number,
    name: string,
    args: Record<string, unknown>,
    answer: (answer: Answer) => void,
  ): void {
    const call = { name, args, answer, calledAt: atMs, conflicts: 0 };
    this.timeline.at(atMs, () => this.attempt(call));
  }

  /** Runs until the last call is answered. */
  async run(): Promise<void> {
    await this.timeline.run(() => true);
  }

  private async attempt(call: Call): Promise<void> {
    const snapshot = this.commits.showUntil(this.timeline.now);
    const now = EPOCH_MS + Math.floor(this.timeline.now);
    const transaction = new Transaction(this.store, this.setting.modules, now);
    const returned = await withGlobals(now, this.functionRandom, () =>
      settle(transaction.run(call.name, call.args)),
    );
    this.count(transaction);
    const duration =
      this.setting.executionMs * (0.6 + 0.8 * this.executionRandom()) +
      STALE_QUERY_MS * transaction.counts.staleQueries;
    this.timeline.after(duration, () => {
      const writes = "error" in returned ? [] : transaction.writes;
      const conflicts =
        writes.length > 0 && this.commits.conflict(transaction.reads, snapshot);
      if (conflicts) this.retry(call);
      else this.commit(call, returned, now, writes);
    });
  }

  private commit(call: Call, returned: Returned, now: number, writes: Write[]) {
    const at = this.timeline.now;
    if (writes.length > 0) this.commits.add(at, writes);
    const answeredAt = writes.length > 0 ? at + VISIBLE_AFTER_MS : at;
    call.answer({
      kind: "answered",
      conflicts: call.conflicts,
      returned,
      now,
      committedAt: EPOCH_MS + at,
      latencyMs: answeredAt - call.calledAt,
      writes,
    });
  }

  private retry(call: Call): void {
    this.totals.conflicts++;
    const retries = call.conflicts++;
    if (retries === RETRIES) {
      call.answer({ kind: "gave up", conflicts: call.conflicts });
      return;
    }
    const longest = Math.min(BACKOFF_MS * 2 ** retries, LONGEST_BACKOFF_MS);
    this.timeline.after(longest * this.backoffRandom(), () =>
      this.attempt(call),
    );
  }

  private count({ counts }: Transaction): void {
    this.totals.rowsRead += counts.rowsRead;
    this.totals.rowsPeeked += counts.rowsPeeked;
    this.totals.rowsWritten += counts.rowsWritten;
  }
}

/** What was validated, in commit order. Writes reach the store when they become visible. */
class Commits {
  private readonly log: { visibleAt: number; writes: Write[] }[] = [];
  private visible = 0;

  constructor(private readonly store: Store) {}

  add(now: number, writes: Write[]): void {
    this.log.push({ visibleAt: now + VISIBLE_AFTER_MS, writes });
  }

  /** Makes the store show what is visible at `now`, and returns that snapshot's place in the log. */
  showUntil(now: number): number {
    while (
      this.visible < this.log.length &&
      this.log[this.visible]!.visibleAt <= now
    ) {
      this.store.apply(this.log[this.visible++]!.writes);
    }
    return this.visible;
  }

  /** Whether anything validated since `snapshot` changed what was read. */
  conflict(reads: Range[], snapshot: number): boolean {
    for (let i = snapshot; i < this.log.length; i++) {
      for (const write of this.log[i]!.writes) {
        if (reads.some((range) => touches(write, range))) return true;
      }
    }
    return false;
  }
}

function touches({ table, before, after }: Write, range: Range): boolean {
  return (
    table === range.table &&
    ((before !== undefined && position(range, before) === 0) ||
      (after !== undefined && position(range, after) === 0))
  );
}

async function settle(running: Promise<unknown>): Promise<Returned> {
  try {
    return { value: await running };
  } catch (error) {
    return { error };
  }
}

/**
 * Runs `body` with the clock stopped at `now`, as Convex does within a function, and with seeded randomness.
 * Only microtasks pass inside, so nothing else of this process sees the replaced globals.
 */
let globalsInUse = false;
async function withGlobals<T>(
  now: number,
  random: Random,
  body: () => Promise<T>,
): Promise<T> {
  if (globalsInUse) throw new Error("two deployments cannot run at once");
  globalsInUse = true;
  const saved = { now: Date.now, random: Math.random };
  Date.now = () => now;
  Math.random = random;
  try {
    return await body();
  } finally {
    Date.now = saved.now;
    Math.random = saved.random;
    globalsInUse = false;
  }
}
