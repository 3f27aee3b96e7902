import type { Mounts } from "./components.js";
import { isInside, type Range } from "./ranges.js";
import { Store, type Write } from "./store.js";
import type { VisibleState, Transaction } from "./transaction.js";

/** A state, and how many commits it shows. */
export type View = VisibleState & { commits: number };

/** How old a look can be. The vacuum relies on a look to delete what has been full for an hour. */
const MAX_LOOK_AGE_MS = 30 * 60_000;

type Committed = { writes: Write[]; ts: bigint };

/** All commits in order. A view shows those that have become visible. */
export class Commits {
  private readonly log: (Committed & { visibleAt: number })[] = [];
  private visible = 0;
  /** How many commits even the oldest look shows. */
  private oldestLook = 0;
  /** By age in commits. Each view only moves forward. */
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
    const commitTs = ts > last ? ts : last + 1n;
    const writes = transaction.writesAt(commitTs);
    this.log.push({ visibleAt, writes, ts: commitTs });
    return { writes, ts: commitTs };
  }

  /** Makes views show what is visible at `now`. */
  showUntil(now: number): void {
    const { log } = this;
    const isVisible = (i: number, time: number) =>
      i < log.length && log[i]!.visibleAt <= time;
    while (isVisible(this.visible, now)) this.visible++;
    while (isVisible(this.oldestLook, now - MAX_LOOK_AGE_MS)) this.oldestLook++;
  }

  /** The state that was visible `age` commits ago, but no more than half an hour ago. */
  view(age = 0): View {
    const view = (this.views[age] ??= {
      store: new Store(this.mounts),
      ts: this.beginTs,
      commits: 0,
    });
    const commits = Math.max(this.visible - age, this.oldestLook);
    while (view.commits < commits) {
      const { writes, ts } = this.log[view.commits++]!;
      view.store.apply(writes);
      view.ts = ts;
    }
    return view;
  }

  /** Whether any commit after the first `seen` changed what was read. */
  conflicts(reads: readonly Range[], seen: number): boolean {
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
