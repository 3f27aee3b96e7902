import { stream } from "convex-helpers/server/stream";
import { isShortString } from "../../core/checks.js";
import { limitKeyId, limitKeysOf } from "../../core/limitKey.js";
import { idleBefore } from "../row/row.js";
import { areIdle } from "./rows.js";
import type { LimitKey } from "../../core/validators.js";
import { internal } from "../../component/_generated/api.js";
import type { Doc } from "../../component/_generated/dataModel.js";
import type {
  MutationCtx,
  QueryCtx,
} from "../../component/_generated/server.js";
import schema from "../../component/schema.js";
import { findToClear, type Found, readBounded, workOn } from "../budget.js";
import { listByKey, ofLimitKeys, spanOfLimit, spansAt } from "../keyed.js";
import { findBatch, listOf } from "../pages.js";
import { resetKey } from "../reset.js";
import { lookStale } from "../stale.js";
import type { InUse, Store } from "../store.js";
import { past } from "../walk.js";
import { parseRows, queryRows } from "../row/stored.js";

const stored = ({ db }: QueryCtx) => stream(db, schema).query("rateLimits");
const byLimit = (ctx: QueryCtx) => stored(ctx).withIndex("name");

export const rows: Store = {
  ...ofLimitKeys({
    table: "rateLimits",
    byLimit,
    ofKey: (ctx, key) => stored(ctx).withIndex("key", (q) => q.eq("key", key)),
    deleteSome: deleteReadable,
  }),

  /**
   * Deletes the rows of idle keys, those of each key together. Rows without `fullAt` stay, and so do
   * the other rows of their key.
   */
  async vacuum(ctx, now, cursor) {
    const found = await lookStale(ctx, internal.jobs.idleKeys, { now, cursor });
    const deleteIdle = async (limitKey: LimitKey) => {
      const rows = await queryRows(ctx, limitKey).collect();
      // The key may have been used since the look.
      if (!areIdle(rows, now)) return false;
      for (const { _id } of rows) await ctx.db.delete("rateLimits", _id);
      return false;
    };
    return workOn(ctx, found, cursor, deleteIdle, 3 / 4);
  },

  /** Deletes the rows of the keys with a row that was stored by then. */
  async clear(ctx, upTo) {
    const newestFirst = stored(ctx).order("desc");
    const { found, next } = await findToClear(ctx, newestFirst, upTo);
    const keys = { found: limitKeysOf(found), next };
    return workOn(ctx, keys, upTo, (limitKey) => deleteReadable(ctx, limitKey));
  },

  /** Finds the first row of each key. */
  reset: {
    find(ctx, name, cursor) {
      const byKey = { fields: 2, spans: [spanOfLimit(name)] };
      const ids = listOf(byLimit(ctx), async ({ _id }) => _id, byKey);
      return findBatch(ctx, ids, cursor);
    },
    async sweepIn(ctx, _, found) {
      const id = ctx.db.normalizeId("rateLimits", found);
      const row = id && (await ctx.db.get("rateLimits", id));
      // It may have been deleted since the look.
      if (!row) return false;
      if (await deleteReadable(ctx, row)) return true;
      await resetKey(ctx, row);
      return false;
    },
  },

  /** The keys in use that have rows: by name and key, or by when they are full, the last first. */
  keys(ctx, { limits, name, order, prefix }, now) {
    const leased = limits.filter(({ config }) => config.kind === "concurrency");
    // A limit that has changed its kind can have rows that no call uses any more.
    const isUnused = (name: string) => leased.some((one) => one.name === name);
    const toInUse = (
      { name, key }: LimitKey,
      ofKey: readonly Doc<"rateLimits">[],
    ): InUse | null =>
      isUnused(name) || areIdle(ofKey, now)
        ? null
        : { name, key, rows: parseRows(ofKey) };

    if (order !== "depleted") {
      const named = limits.map((one) => one.name);
      const spans =
        name === undefined ? spansAt(named) : [spanOfLimit(name, prefix)];
      return listByKey(byLimit(ctx), spans, async (limitKey) =>
        toInUse(limitKey, (await readableRows(ctx, limitKey)).items),
      );
    }
    const inOrder =
      name === undefined
        ? stored(ctx).withIndex("fullAt")
        : stored(ctx).withIndex("depleted", (q) => q.eq("name", name));
    const fullAt = (row: Doc<"rateLimits">) => row.fullAt ?? 0;
    const read = new Map<string, Doc<"rateLimits">[]>();
    return listOf(inOrder.order("desc"), async ({ _id, name, key }) => {
      const id = limitKeyId({ name, key });
      const ofKey =
        read.get(id) ?? (await readableRows(ctx, { name, key })).items;
      read.set(id, ofKey);
      const [first] = ofKey.toSorted(
        (a, b) => fullAt(b) - fullAt(a) || b._creationTime - a._creationTime,
      );
      // List each key once: at the first of its rows.
      return first?._id === _id ? toInUse({ name, key }, ofKey) : null;
    });
  },
};

/**
 * The rows of a limit key. If the key is too long for calls, `@convex-dev/rate-limiter` may have
 * left more rows than one transaction may read: then only the first ones.
 */
async function readableRows(
  ctx: QueryCtx,
  limitKey: LimitKey,
): Promise<{ items: Doc<"rateLimits">[]; isMore: boolean }> {
  const rows = queryRows(ctx, limitKey);
  return isShortString(limitKey.key ?? "")
    ? { items: await rows.collect(), isMore: false }
    : readBounded(ctx, rows);
}

/** Deletes {@link readableRows}, and returns whether there are more. */
async function deleteReadable(
  ctx: MutationCtx,
  limitKey: LimitKey,
): Promise<boolean> {
  const { items, isMore } = await readableRows(ctx, limitKey);
  for (const { _id } of items) await ctx.db.delete("rateLimits", _id);
  return isMore;
}

/** Finds idle limit keys by their row 0. */
export function findIdleKeys(
  ctx: QueryCtx,
  now: number,
  cursor: string,
): Promise<Found<LimitKey>> {
  const byTime = stored(ctx).withIndex("fullAt");
  const full = { from: past(undefined), to: past(idleBefore(now)) };
  const toIdle = async ({ name, key, shard, into }: Doc<"rateLimits">) => {
    if (shard > 0) return null;
    // A limit that is not split has no other row.
    const isAlone = into === undefined;
    const isKeyIdle =
      isAlone || areIdle(await queryRows(ctx, { name, key }).collect(), now);
    return isKeyIdle ? { name, key } : null;
  };
  return findBatch(ctx, listOf(byTime, toIdle, { spans: [full] }), cursor);
}
