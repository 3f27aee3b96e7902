import { v } from "convex/values";
import type { State } from "../../core/bucket.js";
import {
  baseOf,
  fullFrom,
  isOfOtherRule,
  readChain,
  stateOf,
  type Taking,
} from "../../core/chain.js";
import type { StoredRateLimit } from "../../core/config.js";
import type { Limit } from "../../core/limit.js";
import { vStoredRateLimit } from "../../core/vConfig.js";
import { vRow } from "../../core/vRow.js";
import { idOf } from "../../core/hash.js";
import { holdings, lastUse, toRow, total, type Row } from "../../core/rows.js";
import { internal } from "../_generated/api.js";
import type { Doc, Id } from "../_generated/dataModel.js";
import {
  internalMutation,
  internalQuery,
  type MutationCtx,
  type QueryCtx,
} from "../_generated/server.js";
import type { Place } from "../keysInOrder.js";
import { isMutation, lookStale, type Ledger } from "./ledger.js";
import { open } from "../calls/open.js";
import { allRows, idleBefore, storedRows } from "./rows.js";

/**
 * One of so many records schedules housekeeping: more of those that leave a limit low. There
 * denials follow, and each looks at what was taken beside each other.
 */
const SWEEP_EVERY = { usual: 16, low: 6 };

/** A limit is low with less than this share of its capacity. */
const LOW_SHARE = 1 / 4;

/** Where so many records have to be looked at, one is added that has seen them all. */
const CHECKPOINT_FROM = 16;

/** So many records go in one transaction, far below Convex's 16,000. */
const BATCH = 1000;

/**
 * What is taken from one limit and key, appended record by record. A mutation sees what
 * others wrote in a stale snapshot only, so that it conflicts with nobody, and what it wrote
 * itself by the placeholder of its commit timestamp.
 */
export class Takings implements Ledger {
  private isRead = false;
  /** What this transaction wrote before this call. */
  private own: Doc<"takings"> | undefined;
  private met: Taking[] = [];
  private rows: Row[] = [];
  private change: { count: number; reset: boolean } | undefined;

  constructor(
    private readonly ctx: QueryCtx | MutationCtx,
    private readonly account: {
      name: string;
      key?: string | undefined;
      config: StoredRateLimit;
    },
    private readonly limit: Limit,
    private readonly now: number,
  ) {}

  async look(): Promise<Row[]> {
    if (!this.isRead) await this.read();
    this.isRead = true;
    return this.rows;
  }

  all(): Promise<Row[]> {
    return this.look();
  }

  async get(): Promise<Row | undefined> {
    const [row] = await this.look();
    return row;
  }

  set(rows: readonly Row[]): void {
    const [row] = rows;
    if (row === undefined) return;
    const { count, reset } = this.change ?? { count: 0, reset: false };
    const before = total(holdings(this.limit, this.rows, this.now));
    this.change = { count: count + before - row.value, reset };
    this.rows = [row];
  }

  async reset(): Promise<void> {
    await this.look();
    this.change = { count: 0, reset: true };
    this.rows = [];
  }

  async save(ctx: MutationCtx): Promise<void> {
    const { change, own, account } = this;
    if (change === undefined) return;
    this.change = undefined;
    const state = this.state();
    if (own === undefined) {
      await this.append(ctx, change, state);
      const isLow = state.value < LOW_SHARE * this.limit.whole.capacity;
      const every = isLow ? SWEEP_EVERY.low : SWEEP_EVERY.usual;
      if (Math.random() * every < 1) {
        await ctx.scheduler.runAfter(0, internal.takings.sweep, account);
      }
      return;
    }
    const { _id } = own;
    await ctx.db.patch("takings", _id, {
      ...state,
      count: change.reset ? change.count : own.count + change.count,
      ...(change.reset && { reset: true }),
    });
  }

  /**
   * Deletes what no call needs any more: what is behind the newest record that some record
   * has seen. And where much has to be looked at, adds a record that has seen all of it.
   *
   * @returns Whether there is more to delete.
   */
  async sweep(ctx: MutationCtx): Promise<boolean> {
    await this.look();
    if (this.met.length === 0) return false;
    // A config that is not the records' own, such as an old one, must not decide what is left.
    const isOfThisRule = !this.met.some((one) =>
      isOfOtherRule(this.limit, one),
    );
    const { at, seen } = baseOf(this.met);
    const isLong = this.met.length >= CHECKPOINT_FROM;
    if (isLong && isOfThisRule && at !== undefined) {
      await this.checkpoint(ctx, at);
    }
    return (await deleteUpTo(ctx, this.account, seen)) === BATCH;
  }

  /**
   * Many sweeps may run at once, as when the scheduler comes back. All write the record that
   * they start from, so that one adds a checkpoint, and the others find it when they are retried.
   */
  private async checkpoint(ctx: MutationCtx, at: bigint): Promise<void> {
    const base = await takingAt(ctx, this.account, at);
    if (base === null) return;
    await ctx.db.patch("takings", base._id, {});
    await this.append(ctx, { count: 0, reset: false }, this.state());
  }

  private async append(
    ctx: MutationCtx,
    { count, reset }: { count: number; reset: boolean },
    state: Required<State>,
  ): Promise<void> {
    const { name, key } = this.account;
    await ctx.db.insert("takings", {
      name,
      key,
      at: ctx.db.vars.commitTs,
      seen: this.met[0]?.at ?? 0n,
      count,
      ...(reset && { reset }),
      ...state,
    });
  }

  /** What is left, as it is stored. */
  private state(): Required<State> {
    const { limit, now } = this;
    const held = holdings(limit, this.rows, now)[0]!;
    const [stored] = this.rows;
    const { value, ts, fullAt } = stored ?? toRow(limit, held, now, false);
    return {
      value,
      ts,
      fullAt: fullAt ?? toRow(limit, held, now, false).fullAt!,
    };
  }

  private async read(): Promise<void> {
    const { ctx, limit } = this;
    const { name, key } = this.account;
    if (isMutation(ctx)) {
      const own = await ownTaking(ctx, this.account);
      if (own !== null) {
        this.own = own;
        this.rows = rowsOf(stateOf(limit, [toTaking(own)]));
        return;
      }
    }
    const seen = isMutation(ctx)
      ? await lookStale(ctx, internal.takings.look, { name, key })
      : await lookAt(ctx, name, key);
    this.met = seen.met;
    // Without a record the limit is as its rows say, from before it had this mode.
    this.rows =
      seen.met.length === 0 ? seen.rows : rowsOf(stateOf(limit, seen.met));
  }
}

/** The records that a limit's state follows from, or where there are none its rows. */
async function lookAt(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): Promise<{ met: Taking[]; rows: Row[] }> {
  const met = await readChain(newestFirst(ctx, name, key));
  return { met, rows: met.length > 0 ? [] : await allRows(ctx, name, key) };
}

async function* newestFirst(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): AsyncGenerator<Taking> {
  const docs = ctx.db
    .query("takings")
    .withIndex("at", (q) => q.eq("name", name).eq("key", key))
    .order("desc");
  for await (const doc of docs) yield toTaking(doc);
}

function toTaking({
  at,
  seen,
  count,
  reset,
  value,
  ts,
  fullAt,
}: Doc<"takings">): Taking {
  return {
    // The own transaction's is a placeholder.
    at: typeof at === "bigint" ? at : undefined,
    seen,
    count,
    reset: reset === true,
    value,
    ts,
    fullAt,
  };
}

function rowsOf(state: State | undefined): Row[] {
  return state === undefined ? [] : [{ shard: 0, ...state }];
}

const accountArgs = { name: v.string(), key: v.optional(v.string()) };

/** The records that a limit's state follows from, for {@link Takings}. */
export const look = internalQuery({
  args: accountArgs,
  returns: v.object({
    met: v.array(
      v.object({
        at: v.optional(v.int64()),
        seen: v.int64(),
        count: v.number(),
        reset: v.boolean(),
        value: v.number(),
        ts: v.number(),
        fullAt: v.number(),
      }),
    ),
    rows: v.array(vRow),
  }),
  handler: (ctx, { name, key }) => lookAt(ctx, name, key),
});

/** The records up to a commit, at most {@link BATCH}. */
export const upTo = internalQuery({
  args: { ...accountArgs, at: v.int64() },
  returns: v.array(v.id("takings")),
  handler: async (ctx, { name, key, at }): Promise<Id<"takings">[]> => {
    const docs = await ctx.db
      .query("takings")
      .withIndex("at", (q) => q.eq("name", name).eq("key", key).lte("at", at))
      .take(BATCH);
    return docs.map(({ _id }) => _id);
  },
});

/**
 * Housekeeping of one limit and key. No answer depends on it: it only deletes what no call
 * reads, and spares calls the reading of many records.
 */
export const sweep = internalMutation({
  args: { ...accountArgs, config: vStoredRateLimit },
  returns: v.null(),
  handler: async (ctx, account) => {
    const now = Date.now();
    const { rules } = await open(ctx, account, now);
    const takings = new Takings(ctx, account, rules[0].limit, now);
    const isMore = await takings.sweep(ctx);
    if (isMore)
      await ctx.scheduler.runAfter(0, internal.takings.sweep, account);
    return null;
  },
});

/**
 * Deletes all that says no more than that a limit is full, and what no call needs of one
 * that is in use. Of the takings it takes no dependency.
 *
 * @returns How many records it has deleted.
 */
export async function forget(
  ctx: MutationCtx,
  account: { name: string; key?: string | undefined },
  now: number,
): Promise<number> {
  const { met } = await lookStale(ctx, internal.takings.look, account);
  const [newest] = met;
  if (newest?.at === undefined) return 0;
  const inUse = baseOf(met).seen;
  if (fullFrom(met) >= idleBefore(now)) return deleteUpTo(ctx, account, inUse);
  const lastTaking = Math.max(...met.map(({ ts }) => ts));
  const rows = await storedRows(ctx, account.name, account.key);
  // Rows from before the takings would revive an older balance. The vacuum takes them once
  // they are full; those of the other package never say so.
  const revived = rows.filter((row) => lastUse(row) <= lastTaking);
  for (const { _id, fullAt } of revived) {
    if (fullAt === undefined) await ctx.db.delete("rateLimits", _id);
    else if (fullAt >= idleBefore(now)) {
      return deleteUpTo(ctx, account, inUse);
    }
  }
  return deleteUpTo(ctx, account, newest.at);
}

/**
 * Makes the limits full that takings are stored for, up to a time, the newest first. A call
 * in flight would bring the old balance back, so a record says it; what it has seen is left
 * to the vacuum. Conflicts with no call that takes.
 *
 * @returns When the takings were created that it has looked at.
 */
export async function clearTakings(
  ctx: MutationCtx,
  before: number,
  most: number,
): Promise<number[]> {
  const now = Date.now();
  const full = {
    reset: true,
    count: 0,
    value: 0,
    ts: now,
    fullAt: now,
  } as const;
  for (const { _id } of await ownTakings(ctx, before)) {
    await ctx.db.patch("takings", _id, full);
  }
  const created = await ctx.runQuery(
    internal.takings.createdUpTo,
    { before, most },
    { useStaleSnapshot: true },
  );
  for (const account of accountsOf(created)) {
    const newest = await ctx.runQuery(internal.takings.newest, account, {
      useStaleSnapshot: true,
    });
    // One that has been used since has been made full before.
    if (newest === null || newest.createdAt > before) continue;
    if ((await ownTaking(ctx, account)) !== null) continue;
    const at = ctx.db.vars.commitTs;
    const { at: seen } = newest;
    await ctx.db.insert("takings", { ...account, ...full, at, seen });
  }
  return created.map(({ createdAt }) => createdAt);
}

/** What this transaction has written, if anything, of whatever limit. */
async function ownTakings(
  ctx: MutationCtx,
  before: number,
): Promise<Doc<"takings">[]> {
  const { documentsWritten } = await ctx.meta.getTransactionMetrics();
  if (documentsWritten.used === 0) return [];
  const since = Date.now();
  const docs = await ctx.db
    .query("takings")
    .withIndex("by_creation_time", (q) =>
      q.gte("_creationTime", since).lte("_creationTime", before),
    )
    .collect();
  return docs.filter(({ at }) => typeof at !== "bigint");
}

/** Whose records were created up to a time, the newest first. */
export const createdUpTo = internalQuery({
  args: { before: v.number(), most: v.number() },
  returns: v.array(v.object({ ...accountArgs, createdAt: v.number() })),
  handler: async (ctx, { before, most }) => {
    const docs = await ctx.db
      .query("takings")
      .withIndex("by_creation_time", (q) => q.lte("_creationTime", before))
      .order("desc")
      .take(most);
    return docs.map(({ name, key, _creationTime: createdAt }) => ({
      name,
      key,
      createdAt,
    }));
  },
});

/** The limits and keys of records, each once. */
export function accountsOf(
  docs: readonly { name: string; key?: string | undefined }[],
): Place[] {
  const accounts = new Map(
    docs.map(({ name, key }) => [idOf({ name, key }), { name, key }]),
  );
  return [...accounts.values()];
}

/** The newest record of a limit and key. */
export const newest = internalQuery({
  args: accountArgs,
  returns: v.union(
    v.null(),
    v.object({ at: v.int64(), createdAt: v.number() }),
  ),
  handler: async (ctx, { name, key }) => {
    const doc = await newestTaking(ctx, name, key);
    if (doc === null || typeof doc.at !== "bigint") return null;
    return { at: doc.at, createdAt: doc._creationTime };
  },
});

/** Whether a key with this newest record was made full by it, or has been for so long that it is forgotten. */
export async function isIdle(
  ctx: QueryCtx,
  { name, key, count, reset, fullAt }: Doc<"takings">,
  now: number,
): Promise<boolean> {
  if (reset === true && count === 0) return true;
  if (fullAt >= idleBefore(now)) return false;
  return (
    fullFrom(await readChain(newestFirst(ctx, name, key))) < idleBefore(now)
  );
}

export function newestTaking(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): Promise<Doc<"takings"> | null> {
  return ctx.db
    .query("takings")
    .withIndex("at", (q) => q.eq("name", name).eq("key", key))
    .order("desc")
    .first();
}

/** The first limit and key with records behind another one, by name and key: of all limits, or of one. */
export async function nextTaken(
  ctx: QueryCtx,
  name: string | undefined,
  after: Place | undefined,
): Promise<Place | undefined> {
  const takings = () => ctx.db.query("takings");
  let found: Doc<"takings"> | null;
  if (after === undefined) {
    found = await takings()
      .withIndex("at", (q) => (name === undefined ? q : q.eq("name", name)))
      .first();
  } else {
    found = await takings()
      .withIndex("at", (q) => q.eq("name", after.name).gt("key", after.key))
      .first();
    if (found === null && name === undefined) {
      found = await takings()
        .withIndex("at", (q) => q.gt("name", after.name))
        .first();
    }
  }
  return found === null ? undefined : { name: found.name, key: found.key };
}

/** What this transaction has written for a limit and key. Conflicts with nobody. */
function ownTaking(
  ctx: MutationCtx,
  account: { name: string; key?: string | undefined },
): Promise<Doc<"takings"> | null> {
  return takingAt(ctx, account, ctx.db.vars.commitTs);
}

function takingAt(
  ctx: MutationCtx,
  { name, key }: { name: string; key?: string | undefined },
  at: Doc<"takings">["at"],
): Promise<Doc<"takings"> | null> {
  return ctx.db
    .query("takings")
    .withIndex("at", (q) => q.eq("name", name).eq("key", key).eq("at", at))
    .unique();
}

async function deleteUpTo(
  ctx: MutationCtx,
  { name, key }: { name: string; key?: string | undefined },
  at: bigint,
): Promise<number> {
  const ids = await lookStale(ctx, internal.takings.upTo, { name, key, at });
  for (const id of ids) {
    // The snapshot may be older than what another housekeeping has deleted.
    const doc = await ctx.db.get("takings", id);
    if (doc !== null) await ctx.db.delete("takings", id);
  }
  return ids.length;
}
