import { Model, type ModelConfig } from "../model.js";
import { play } from "./play.js";
import { Waits } from "./waits.js";
import { Turn, type Judged, type Taken } from "./turn.js";
import type { Document } from "../../sim/ranges.js";
import type { Of } from "./steps.js";
import type { Write } from "../../sim/store.js";
import {
  Account,
  idOf,
  isAppended,
  World,
  type Rows,
  type Version,
} from "./world.js";

/**
 * Watches transactions in the order of their commits. Of each limit it keeps a number and a time, which it
 * changes by what callers were told, and compares with what they are told next. It shares nothing with the
 * package.
 *
 * All that a transaction reads is of the snapshot of its beginning, so its answers are those of that state. Of
 * a limit of one row or on what runs at once it must have found no other at its commit. Of a split limit rows
 * must have lost what was taken, and may never hold more than the number that is kept. Of an asynchronous one
 * no balance that is told may be above the number, and none but the number as long as no two write at once.
 * Where a dry run does not tell what it took, the number is the most that can be left.
 */
export class Judge {
  private readonly history: Version[] = [];
  private readonly stored = new Map<string, Document>();
  private rows: Rows = new Map();
  private commits = 0;
  /** The rows after a commit that has not been judged yet: perhaps of a scheduled job. */
  private unjudged: Omit<Version, "world"> | undefined;
  private readonly waits: Waits;
  /** Of which limits and keys the last commit appended a record, and whether that is a reset. */
  private readonly recorded = new Map<string, { isReset: boolean }>();

  /**
   * @param keys Of which keys there may be calls.
   * @param isInShare Whether a key is in a share of the keys of a limit.
   * @param deploys How often limits will be split over another number of rows.
   */
  constructor(
    private readonly limits: Record<string, ModelConfig>,
    keys: readonly string[],
    isInShare: (
      name: string,
      key: string | undefined,
      share: number,
    ) => boolean,
    deploys: number,
    /** Whether a deploy changes windows. */
    private readonly isMoved = false,
  ) {
    const accounts = new Map<string, Account>();
    for (const [name, config] of Object.entries(limits)) {
      for (const key of [...keys, undefined]) {
        const { enforce = true } = config;
        const isEnforced =
          typeof enforce === "number" ? isInShare(name, key, enforce) : enforce;
        const model = new Model({ ...config, enforce: isEnforced });
        const account = new Account({ name, key }, model);
        account.deploys = deploys;
        accounts.set(idOf(account.of), account);
      }
    }
    this.waits = new Waits(deploys > 0);
    const world = new World(accounts, new Map(), new Map());
    this.history.push({ commits: 0, world, rows: this.rows });
  }

  /** Is told of each commit, before `judge` is told of the answers. */
  watch(writes: readonly Write[]): void {
    this.noteJob();
    this.commits++;
    const touched = new Set<string>();
    this.recorded.clear();
    for (const { table, before, after } of writes) {
      const isRecord = table.endsWith("/debits") && before === undefined;
      if (isRecord && after) {
        const isReset = after.reset === true;
        this.recorded.set(idOf(after as unknown as Of), { isReset });
      }
      if (!table.endsWith("/rateLimits")) continue;
      const document = after ?? before;
      // Made and deleted by one transaction.
      if (document === undefined) continue;
      const id = idOf(document as unknown as Of);
      if (after === undefined) this.stored.delete(document._id);
      else this.stored.set(document._id, after);
      touched.add(id);
    }
    if (touched.size === 0) return;
    this.rows = new Map(this.rows);
    for (const id of touched) {
      const rows = [...this.stored.values()].filter(
        (row) => idOf(row as unknown as Of) === id,
      );
      this.rows.set(id, rows);
    }
    this.unjudged = { commits: this.commits, rows: this.rows };
  }

  /** A job changes no balance, but which rows hold it. */
  private noteJob(): void {
    const { world } = this.history.at(-1)!;
    if (this.unjudged) this.history.push({ ...this.unjudged, world });
    this.unjudged = undefined;
  }

  judge(judged: Judged): void {
    const { commits, counts } = judged;
    if (counts && this.unjudged?.commits === commits) this.unjudged = undefined;
    this.noteJob();
    const seen = this.seen(judged);
    const last = this.history.at(-1)!;
    const snapshot = { ...seen, world: seen.world.copy() };
    const taken: Taken = new Map();
    const turn = new Turn(this.limits, snapshot, judged, "snapshot", taken);
    play(turn);
    this.waits.judge(turn);
    if (!counts) return;
    const world = last.world.copy();
    const isSame = (id: string) =>
      seen.world.accounts.get(id)!.version ===
      last.world.accounts.get(id)!.version;
    const overlapped = [...world.accounts].flatMap(([id, { of, isSerial }]) =>
      isAppended(this.limits, of) && !(isSerial && isSame(id)) ? [id] : [],
    );
    const state = { ...last, world };
    const commit = new Turn(
      this.limits,
      state,
      judged,
      "commit",
      taken,
      overlapped,
      this.resets(),
    );
    commit.blurRows(
      [...last.rows.keys()].filter(
        (id) => splitOf(seen.rows, id) !== splitOf(last.rows, id),
      ),
    );
    // The first calls of a key that overlap can each take absent rows for full by another capacity.
    const begun = [...world.accounts.keys()].filter(
      (id) =>
        !isSame(id) && seen.world.accounts.get(id)!.model.isFull(judged.now),
    );
    commit.allowRise(begun);
    // Nor is it known then in which windows.
    if (this.isMoved) {
      for (const id of begun) world.accounts.get(id)!.deploys ||= 1;
    }
    play(commit);
    const times = this.timesOfRecords(snapshot.world, judged.now);
    commit.end(this.rows, times, snapshot.world);
    for (const id of commit.changed) {
      const account = world.accounts.get(id)!;
      if (!isSame(id)) account.isSerial = false;
      else if (commit.made.has(id) && !account.isOverridden) {
        account.isSerial = true;
      }
      account.version++;
    }
    this.history.push({ commits, world, rows: this.rows });
  }

  /** What a transaction saw: of asynchronous limits what its looks did. */
  private seen({ seen, looked }: Judged): Version {
    const after = (commits: number) =>
      this.history.findLast((version) => version.commits <= commits)!;
    const { world, ...version } = after(seen);
    if (looked === seen) return { world, ...version };
    const { accounts } = after(looked).world;
    const both = [...world.accounts].map(([id, account]) => {
      if (!isAppended(this.limits, account.of)) return [id, account] as const;
      // Its rules are those that the transaction sees.
      const { isOverridden, capacities } = account;
      const lookedAt = accounts.get(id)!.copy();
      return [
        id,
        Object.assign(lookedAt, { isOverridden, capacities }),
      ] as const;
    });
    const { overrides, holds } = world;
    return { ...version, world: new World(new Map(both), overrides, holds) };
  }

  /** Of which limits and keys the last commit appended a reset. */
  private resets(): ReadonlySet<string> {
    const resets = [...this.recorded].filter(([, { isReset }]) => isReset);
    return new Set(resets.map(([id]) => id));
  }

  /** At what time the last commit took: that of its clock, or a later one that it had seen. */
  private timesOfRecords(
    seen: World,
    now: number,
  ): ReadonlyMap<string, number> {
    return new Map(
      [...this.recorded.keys()].map((id) => [
        id,
        Math.max(now, seen.accounts.get(id)!.model.time),
      ]),
    );
  }
}

/** Over how many rows a limit was split, as its rows say. */
function splitOf(rows: Rows, id: string): string {
  const all = (rows.get(id) ?? []).map(
    (row) => (row.of as number | undefined) ?? 1,
  );
  return [...new Set(all)].join();
}
