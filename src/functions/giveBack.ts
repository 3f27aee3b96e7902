import { v } from "convex/values";
import type { StoredConfig } from "../core/config.js";
import { configByRule, type Limit } from "../core/limit.js";
import { phasesOf } from "../core/phases.js";
import { roomIn } from "../core/policy.js";
import { balanceOf, committedAt, leavesOf } from "../core/rows.js";
import type { Leaf } from "../core/tree.js";
import { internalMutation } from "../component/_generated/server.js";
import { creditByRows } from "../stores/rows/credit.js";
import { RowLedger } from "../stores/rows/ledger.js";
import { parseRow } from "../stores/rows/stored.js";

/**
 * Gives tokens back for a mutation that has been committed, where calls overlap and take long: in a
 * short mutation, which the scheduler retries as often as it conflicts. Goes by the rule of row 0.
 * Does nothing if the key is no longer split: it was reset, or its limit has changed.
 */
export const giveBack = internalMutation({
  args: {
    /** Row 0 of the key. */
    root: v.id("rateLimits"),
    count: v.number(),
    /** The row to try if none has room for all. Random by default. */
    shard: v.optional(v.number()),
    /** When they were given back, in ms. */
    now: v.number(),
  },
  returns: v.null(),
  handler: async (ctx, { root, count, shard, now }): Promise<null> => {
    const doc = await ctx.db.get("rateLimits", root);
    const row = doc === null ? undefined : parseRow(doc);
    if (doc === null || row?.rule === undefined) return null;
    const { name, key } = doc;
    const byRule = configByRule(row.rule, row.ts);
    const config: StoredConfig = { ...byRule, shards: "auto" };
    const phases = phasesOf(name, key, config, [], now);
    const ledger = new RowLedger(ctx, { name, key }, phases, now);
    const { limit } = ledger;
    const leaves = leavesOf(limit, await ledger.look(), now);
    const to = lastWritten(limit, leaves, count, now) ?? shard;
    const { writes } = await creditByRows(ledger, count, Math.random, to);
    ledger.set(writes);
    await ledger.save(ctx);
    return null;
  },
});

/**
 * The row that was written last, of those with room for all tokens: calls that had read it before
 * must run again anyway. Undefined if there is none.
 */
function lastWritten(
  limit: Limit,
  leaves: readonly Leaf[],
  count: number,
  now: number,
): number | undefined {
  const writtenAt = ({ row }: Leaf) => (row && committedAt(row)) ?? -Infinity;
  const [last] = leaves
    .filter((leaf) => roomIn(limit, [balanceOf(limit, leaf, now)]) >= count)
    .sort((a, b) => writtenAt(b) - writtenAt(a));
  return last?.shard;
}
