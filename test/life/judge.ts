import { calculateRateLimit } from "convex-rate-limiter";
import { hashOf, isInShare } from "../../src/core/limitKey.js";
import { Mounts } from "../../sim/components.js";
import { runFunction } from "../../sim/functions.js";
import { withGlobals } from "../../sim/globals.js";
import { Store, type Write } from "../../sim/store.js";
import { Transaction } from "../../sim/transaction.js";
import { Model, UNITS, type ModelConfig } from "../support/model.js";
import { play } from "./play.js";
import { host, type LifeApp, type Done, type Of, type Told } from "./steps.js";
import {
  Broken,
  near,
  PLAN,
  same,
  show,
  TOLERANCE,
  Turn,
  type Judged,
  type Sums,
  type Taken,
} from "./turn.js";
import { Waits } from "./waits.js";
import { Account, idOf, World, type Configs, type Version } from "./world.js";

/** The latest `ts` of the rows that a commit wrote, by the id of limit and key. */
type Rewritten = ReadonlyMap<string, number>;

const mounts = new Mounts(host);

/**
 * Judges transactions in the order of their commits. Keeps a balance and a time for each limit and key, updates
 * them from each answer as the documentation says, and checks the next answer against them. Ignores how limits are
 * stored, with one exception: the time up to which a rewritten row has counted what arrived.
 *
 * Answers must fit the state of the snapshot that their transaction read. Beyond that:
 * - One row, or concurrency: the state at the commit gives the same answers.
 * - Split: `getValue` never shows more than the balance kept here, and each call changes what it shows by as
 *   much as its answer says.
 * - A dry run that does not say what it took: the balance kept here is the most that can be left.
 */
export class Judge {
  private readonly history: Version[] = [];
  /** The database after each number of commits, so that `getValue` can be called on it. */
  private readonly stores = [new Store(mounts)];
  /** The limits and keys whose rows each commit wrote, and those whose rows it deleted. */
  private readonly rows = new Map<
    number,
    { written: Rewritten; deleted: ReadonlySet<string> }
  >();
  private readonly waits: Waits;
  /** The limits that are split in at least one version of the app. */
  private readonly splits: ReadonlySet<string>;

  /**
   * @param versions The limits of each version of the app.
   * @param plans The configs that come with calls.
   */
  constructor(
    versions: readonly Configs[],
    plans: readonly ModelConfig[],
    keys: readonly string[],
  ) {
    const accounts = new Map<string, Account>();
    const limits = versions[0]!;
    for (const [name, config] of Object.entries(limits)) {
      for (const key of [...keys, undefined]) {
        const of = { name, key };
        const phase = hashOf(name, key) / 2 ** 32;
        const inShare = (share: number) => isInShare(name, key, share);
        const model = new Model(config, { phase, isInShare: inShare });
        accounts.set(idOf(of), new Account(of, model));
      }
    }
    const isSplit = (config: ModelConfig | undefined) =>
      config !== undefined &&
      config.kind !== "concurrency" &&
      (config.shards ??
        ((config.capacity ?? config.rate) < 20 ? 1 : "auto")) !== 1;
    const names = Object.keys(limits).filter((name) =>
      name === PLAN
        ? plans.some(isSplit)
        : versions.some((version) => isSplit(version[name])),
    );
    this.splits = new Set(names);
    this.waits = new Waits();
    const world = new World(accounts, new Map(), new Map(), plans);
    this.history.push({ commits: 0, world });
  }

  /** Called for each commit, in commit order. */
  watch(writes: readonly Write[]): void {
    const store = this.stores.at(-1)!.copy();
    store.apply(writes);
    const written = new Map<string, number>();
    const deleted = new Set<string>();
    for (const { table, before, after } of writes) {
      if (!table.endsWith("/rateLimits")) continue;
      if (!after) {
        if (before) deleted.add(idOf(before as unknown as Of));
        continue;
      }
      const row = after as unknown as Of & { ts: number };
      const until = written.get(idOf(row)) ?? -Infinity;
      written.set(idOf(row), Math.max(until, row.ts));
    }
    this.rows.set(this.stores.length, { written, deleted });
    this.stores.push(store);
  }

  /** Whether a commit between two others has written or deleted rows of a limit and key. */
  private hasWritten(id: string, after: number, before: number): boolean {
    for (let commit = after + 1; commit < before; commit++) {
      const { written, deleted } = this.rows.get(commit)!;
      if (written.has(id) || deleted.has(id)) return true;
    }
    return false;
  }

  /** The split limits and keys whose rows a commit wrote. */
  private rewritten(commit: number): [id: string, until: number][] {
    const { written } = this.rows.get(commit)!;
    return [...written].filter(([id]) => this.isSplit(id));
  }

  async judge(judged: Judged): Promise<void> {
    const { commits, counts, now, app, told } = judged;
    const own = counts ? this.rewritten(commits) : [];
    const seen = this.after(judged.seen);
    const last = this.history.at(-1)!;
    const snapshot = { ...seen, world: seen.world.copy() };
    const taken: Taken = new Map();
    const asked = this.splitsOf(told, last.world);
    const sumsAt = (commits: number) => this.sums(asked, { app, now, commits });
    const sums = await sumsAt(judged.seen);
    const { splits } = this;
    const turn = new Turn(snapshot, judged, "snapshot", sums, taken, splits);
    turn.roomy = await this.roomy(seen.world, judged, judged.seen);
    turn.stored = new Set(own.map(([id]) => id));
    play(turn);
    this.waits.judge(turn);
    await this.requirePages(judged);
    if (!counts) return;
    const world = last.world.copy();
    const isSame = (id: string) =>
      seen.world.accounts.get(id)!.version ===
      last.world.accounts.get(id)!.version;
    const commit = new Turn(
      { ...last, world },
      judged,
      "commit",
      await sumsAt(commits - 1),
      taken,
      splits,
    );
    commit.isSame = (id) =>
      isSame(id) ||
      this.rows.get(commits)!.deleted.has(id) ||
      !this.hasWritten(id, judged.seen, commits);
    commit.roomy = await this.roomy(last.world, judged, commits - 1);
    commit.stored = turn.stored;
    play(commit);
    for (const [id, until] of own) {
      const { of, model } = commit.world.accounts.get(id)!;
      const { writes } = last.world.accounts.get(id)!.model;
      if (model.writes > writes) continue;
      // A call that settles counts under the rule of the last write, any other call under its own rule.
      if (of.name === PLAN) model.countUntil(until);
      else world.account(of).model.write(now);
    }
    commit.end(await sumsAt(commits));
    for (const id of commit.changed) world.accounts.get(id)!.version++;
    for (const [id] of own) noteWrite(world.accounts.get(id)!, judged);
    this.history.push({ commits, world });
  }

  private isSplit(id: string): boolean {
    const { of } = this.history[0]!.world.accounts.get(id)!;
    return this.splits.has(of.name);
  }

  /** The split limits and keys that a transaction may have changed. The list may have duplicates. */
  private splitsOf(told: readonly Told[], world: World): Of[] {
    const all = [...world.accounts.values()].map(({ of }) => of);
    const found = told.flatMap((one): readonly Of[] => {
      if ("of" in one) return [one.of];
      if ("items" in one) return one.items.map(({ of }) => of);
      const ids =
        "asked" in one ? one.asked.map(({ id }) => id) : "id" in one && one.id;
      if (ids === false) return all;
      return [ids].flat().flatMap((id) => world.holds.get(id)?.of ?? []);
    });
    return found.filter((of) => this.splits.has(of.name));
  }

  /** The balances of split limits, as `getValue` shows them. */
  private async sums(
    asked: readonly Of[],
    where: { app: LifeApp; now: number; commits: number },
  ): Promise<Sums> {
    const sums: Sums = new Map();
    for (const of of asked) {
      if (of.name === PLAN && of.plan === undefined) continue;
      // A key that is called with two configs has two balances.
      const isOther = (one: Of) =>
        idOf(one) === idOf(of) && one.plan !== of.plan;
      if (asked.some(isOther) || sums.has(idOf(of))) continue;
      sums.set(idOf(of), (await this.shown(of, where)).value);
    }
    return sums;
  }

  /** The keys of split plans whose rows have room for tokens given back, under the rule of their last write. */
  private async roomy(
    world: World,
    { told, app, now }: Judged,
    commits: number,
  ): Promise<Set<string>> {
    const found = new Set<string>();
    for (const { name, key } of this.splitsOf(told, world)) {
      const of = { name, key };
      const { model } = world.accounts.get(idOf(of))!;
      const { lastRule } = model;
      if (name !== PLAN || lastRule === undefined) continue;
      const plan = world.plans.findIndex((config) =>
        same(new Model(config, model.drawn).rule(now), lastRule),
      );
      const where = { app, now, commits };
      const { value } = await this.shown({ ...of, plan }, where);
      if (value < lastRule.capacity / UNITS - TOLERANCE) found.add(idOf(of));
    }
    return found;
  }

  /** What `getValue` of an app shows after a number of commits, projected to `now`. */
  private async shown(
    of: Of,
    { app, now, commits }: { app: LifeApp; now: number; commits: number },
  ) {
    const store = this.stores[commits]!;
    const transaction = new Transaction({ store, ts: 0n, mounts, now });
    const args = { app, steps: [{ verb: "getValue", of }], throws: false };
    const done = (await withGlobals(mounts, now, Math.random, () =>
      runFunction(transaction, { path: "", name: "steps:run" }, args),
    )) as Done;
    const [told] = done.told as [Told & { verb: "getValue" }];
    return calculateRateLimit(told.answer, told.answer.config, now);
  }

  /** A page that projects an answer must show what the server will answer later, if nobody calls. */
  private async requirePages(judged: Judged): Promise<void> {
    const { told, app, now, seen } = judged;
    const [one] = told;
    if (told.length > 1 || one?.verb !== "getValue") return;
    if (one.sampleShards !== undefined) return;
    const { of, answer } = one;
    for (const laterMs of LATER_MS) {
      const later = now + laterMs;
      const { value } = calculateRateLimit(answer, answer.config, later);
      const shown = await this.shown(of, { app, now: later, commits: seen });
      if (near(value, shown.value)) continue;
      throw new Broken(
        `in ${laterMs} ms ${idOf(of)} holds ${shown.value}, not ${value}: ${show(one)} at ${now}`,
      );
    }
  }

  /** The state after a number of commits. */
  private after(commits: number): Version {
    return this.history.findLast((version) => version.commits <= commits)!;
  }
}

/**
 * A split limit may be busy for some seconds after two of its writes overlap, or one follows another
 * sooner than that took: a key is split by such writes.
 */
function noteWrite(account: Account, { now, beganAt, committedAt }: Judged) {
  const { from, to } = account.write;
  const ran = to - from;
  if (beganAt < to + ran + 2 * UNSEEN_MS) account.busyUntil = now + BUSY_MS;
  account.write = { from: beganAt, to: committedAt };
}

/** About how long a commit takes to become visible. */
const UNSEEN_MS = 6;

/** How long a limit recalls that calls overlapped, and a second in which a call may note it. */
const BUSY_MS = 6_000;

const MINUTE = 60_000;

/** How much later to check what a page projects. */
const LATER_MS = [1, 700, 20 * MINUTE, 26 * 60 * MINUTE, 40 * 24 * 60 * MINUTE];
