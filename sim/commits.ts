import type { Mounts } from "./components.js";
import { isInside, type Range } from "./ranges.js";
import { Store, type Write } from "./store.js";
import type { Shown, Transaction } from "./transaction.js";

/** The state after so many commits. */
export type View = Shown & { commits: number };

/** How old a look can be at most. The vacuum forgets what has been full for an hour, by a look. */
const OLDEST_LOOK_MS = 30 * 60_000;

type Committed = { writes: Write[]; ts: bigint };

/** What was validated, in commit order. A view shows what became visible. */
export class Commits {
  private readonly log: (Committed & { visibleAt: number })[] = [];
  private visible = 0;
  /** How many every look shows, however old. */
  private shown = 0;
  /** What is visible, and what was so many commits ago. Each only ever goes on. */
  private readonly views: View[] = [];

  constructor(
    private readonly mounts: Mounts,
    private readonly beginTs: bigint,
  ) {}

  get count(): number {
    return this.log.length;
  }

  /** Commits what a transaction wrote, if anything, at `ts` or just after the last commit. */
  add(transaction: Transaction, ts: bigint, visibleAt: number): Committed {
    const last = this.log.at(-1)?.ts ?? this.beginTs;
    if (transaction.writes.length === 0) return { writes: [], ts: last };
    const at = ts > last ? ts : last + 1n;
    const writes = transaction.writesAt(at);
    this.log.push({ visibleAt, writes, ts: at });
    return { writes, ts: at };
  }

  /** From `now` on, views show what is visible then. */
  showUntil(now: number): void {
    const { log } = this;
    const isVisible = (at: number, time: number) =>
      at < log.length && log[at]!.visibleAt <= time;
    while (isVisible(this.visible, now)) this.visible++;
    while (isVisible(this.shown, now - OLDEST_LOOK_MS)) this.shown++;
  }

  /** What is visible, or was `age` commits ago, but at most half an hour. */
  view(age = 0): View {
    const view = (this.views[age] ??= {
      store: new Store(this.mounts),
      ts: this.beginTs,
      commits: 0,
    });
    const commits = Math.max(this.visible - age, this.shown);
    while (view.commits < commits) {
      const { writes, ts } = this.log[view.commits++]!;
      view.store.apply(writes);
      view.ts = ts;
    }
    return view;
  }

  /** Whether anything validated since the first `seen` commits changed what was read. */
  conflict(reads: readonly Range[], seen: number): boolean {
    for (let i = seen; i < this.log.length; i++) {
      if (touch(this.log[i]!.writes, reads)) return true;
    }
    return false;
  }
}

/** Whether any of these writes changed what was read. */
export function touch(
  writes: readonly Write[],
  reads: readonly Range[],
): boolean {
  return writes.some((write) => reads.some((range) => touches(write, range)));
}

function touches({ table, before, after }: Write, range: Range): boolean {
  return (
    table === range.table &&
    ((before !== undefined && isInside(range, before)) ||
      (after !== undefined && isInside(range, after)))
  );
}
