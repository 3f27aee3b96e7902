import { v, type Infer } from "convex/values";
import { TOLERANCE, timeWhenFull, type State } from "../core/algebra.js";
import type { Limit } from "../core/config.js";
import { internal } from "./_generated/api.js";
import type { Doc, Id } from "./_generated/dataModel.js";
import {
  internalQuery,
  type MutationCtx,
  type QueryCtx,
} from "./_generated/server.js";

/** One row of a limit, as it was at `now`. */
export type Row = {
  shard: number;
  /** `null`: the row is absent, or says what an absent row says. */
  state: State | null;
  /** When it was last written; undefined if it never was. */
  usedAt: number | undefined;
};

/**
 * The rows of one limit and key in one transaction: what was read, and what is
 * to be written. Reads of a row take a read dependency on that row; looks
 * (`look`) take none in a mutation.
 */
export class Rows {
  private readonly read = new Map<number, Row>();
  private readonly ids = new Map<number, Id<"rateLimits">>();
  private readonly changes = new Map<number, Change>();

  constructor(
    private readonly ctx: QueryCtx | MutationCtx,
    private readonly name: string,
    private readonly key: string | undefined,
    private readonly now: number,
  ) {}

  /** Reads one row; a row that this call has changed is given as changed. */
  async get(shard: number): Promise<Row> {
    const known = this.read.get(shard);
    if (known !== undefined) return known;
    const doc = await this.ctx.db
      .query("rateLimits")
      .withIndex("name", (q) =>
        q.eq("name", this.name).eq("key", this.key).eq("shard", shard),
      )
      .unique();
    return this.remember(shard, doc ?? undefined);
  }

  /** Reads some rows, each by itself. */
  async getSome(shards: readonly number[]): Promise<Row[]> {
    const rows: Row[] = [];
    for (const shard of shards) rows.push(await this.get(shard));
    return rows;
  }

  /** Reads the first `count` rows, in one range. */
  async getAll(count: number): Promise<Row[]> {
    const docs = await this.ctx.db
      .query("rateLimits")
      .withIndex("name", (q) => q.eq("name", this.name).eq("key", this.key))
      .collect();
    const byShard = new Map(docs.map((doc) => [doc.shard, doc]));
    return Array.from(
      { length: count },
      (_, shard) =>
        this.read.get(shard) ?? this.remember(shard, byShard.get(shard)),
    );
  }

  /**
   * Looks at `count` rows from `first` on, wrapping around at `rows`, without a
   * read dependency: in a mutation as they were when it began, but for what this
   * call has changed. A query depends on what it shows anyway, and reads them.
   */
  async look(first: number, count: number, rows: number): Promise<Row[]> {
    if (!("scheduler" in this.ctx)) return this.getAll(rows);
    const { name, key } = this;
    const docs = await this.ctx.runQuery(
      internal.rows.look,
      { name, key, first, count, rows },
      { useStaleSnapshot: true },
    );
    const byShard = new Map(docs.map((doc) => [doc.shard, doc]));
    return Array.from({ length: count }, (_, i) => {
      const shard = (first + i) % rows;
      return this.changed(shard) ?? this.toRow(shard, byShard.get(shard));
    });
  }

  /**
   * Whether the mutation has written before this call: then looks may lack what it did
   * to this limit, and only reads tell.
   */
  async maySeeTooLittle(): Promise<boolean> {
    if (!("scheduler" in this.ctx)) return false;
    const { documentsWritten } = await this.ctx.meta.getTransactionMetrics();
    return documentsWritten.used > 0;
  }

  /** Notes what a row is to become; `save` writes it. */
  set(limit: Limit, shard: number, { value, ts }: State): void {
    const splitWindow = limit.rows > 1 && limit.share.kind === "fixed window";
    this.read.set(shard, { shard, state: { value, ts }, usedAt: this.now });
    this.changes.set(shard, {
      value,
      ts,
      fullAt: timeWhenFull(limit.share, { value, ts }),
      usedAt: splitWindow ? this.now : undefined,
    });
  }

  /** Writes each changed row, once. */
  async save(ctx: MutationCtx): Promise<void> {
    const { name, key } = this;
    for (const [shard, change] of this.changes) {
      const id = this.ids.get(shard);
      if (id !== undefined) await ctx.db.patch("rateLimits", id, change);
      else await ctx.db.insert("rateLimits", { name, key, shard, ...change });
    }
    this.changes.clear();
  }

  private changed(shard: number): Row | undefined {
    return this.changes.has(shard) ? this.read.get(shard) : undefined;
  }

  private remember(shard: number, doc: Doc<"rateLimits"> | undefined): Row {
    const row = this.toRow(shard, doc);
    this.read.set(shard, row);
    if (doc !== undefined) this.ids.set(shard, doc._id);
    return row;
  }

  private toRow(shard: number, doc: Stored | undefined): Row {
    if (doc === undefined) return { shard, state: null, usedAt: undefined };
    return {
      shard,
      state: toState(doc, this.now),
      usedAt: doc.usedAt ?? doc.ts,
    };
  }
}

/** Whether two readings of a row are the same. */
export function sameRow(a: Row, b: Row): boolean {
  return (
    a.usedAt === b.usedAt &&
    a.state?.ts === b.state?.ts &&
    Math.abs((a.state?.value ?? 0) - (b.state?.value ?? 0)) <= TOLERANCE
  );
}

/**
 * What a stored row says at `now`. From its `fullAt` on it says what an absent
 * row says, so that nobody can tell whether the vacuum has come. Numbers that
 * are not finite (`@convex-dev/rate-limiter` could store NaN) say nothing.
 */
export function toState(doc: Stored, now: number): State | null {
  const { value, ts, fullAt } = doc;
  if (!Number.isFinite(value) || !Number.isFinite(ts)) return null;
  return fullAt !== undefined && now >= fullAt ? null : { value, ts, fullAt };
}

/**
 * A row is left alone for this long after it is full, so that clocks that differ,
 * or step back, by less than that cannot revive it.
 */
const GRACE_MS = 60 * 60 * 1000;

/** Rows that became full before this time are idle: the vacuum may take them. */
export function idleBefore(now: number): number {
  return now - GRACE_MS;
}

const vStored = v.object({
  shard: v.number(),
  value: v.number(),
  ts: v.number(),
  fullAt: v.optional(v.number()),
  usedAt: v.optional(v.number()),
});

type Stored = Infer<typeof vStored>;

type Change = Omit<Stored, "shard">;

/**
 * The stored rows of a limit and key, from shard `first` on, for
 * {@link Rows.look}. Absent rows are left out.
 */
export const look = internalQuery({
  args: {
    name: v.string(),
    key: v.optional(v.string()),
    first: v.number(),
    count: v.number(),
    rows: v.number(),
  },
  returns: v.array(vStored),
  handler: async (
    ctx,
    { name, key, first, count, rows },
  ): Promise<Stored[]> => {
    const range = (from: number, to: number) =>
      ctx.db
        .query("rateLimits")
        .withIndex("name", (q) =>
          q.eq("name", name).eq("key", key).gte("shard", from).lt("shard", to),
        )
        .collect();
    const end = first + count;
    const docs = await range(first, Math.min(end, rows));
    if (end > rows) docs.push(...(await range(0, end - rows)));
    return docs.map(({ shard, value, ts, fullAt, usedAt }) => ({
      shard,
      value,
      ts,
      fullAt,
      usedAt,
    }));
  },
});
