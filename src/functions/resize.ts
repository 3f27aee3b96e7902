import { v } from "convex/values";
import type { StoredRefillingConfig } from "../core/config.js";
import { fewerRows, moreRows } from "../core/heat.js";
import {
  ampleFanOut,
  gatheredRoot,
  allBalances,
  leavesOf,
  toRow,
} from "../core/rows.js";
import { vLimitKey, vOwn } from "../core/validators.js";
import { internalMutation } from "../component/_generated/server.js";
import { openChecked } from "../verbs/open.js";
import { RowLedger } from "../stores/rows/ledger.js";

/**
 * Housekeeping of one limit key that has split itself: gathers its rows in one, and divides that
 * among fewer rows after a long calm, or among more if hot rows hold too little to be split.
 */
export const resize = internalMutation({
  args: {
    ...vLimitKey().fields,
    config: vOwn<StoredRefillingConfig>(),
    /** What a call took that found too few rows. Absent after a long calm. */
    taken: v.optional(v.number()),
  },
  returns: v.null(),
  handler: async (ctx, { taken, ...target }): Promise<null> => {
    const now = Date.now();
    const { ledger } = await openChecked(ctx, target, now);
    if (!(ledger instanceof RowLedger)) return null;
    const { limit } = ledger;
    // A look first: if there is nothing to do, the job conflicts with nobody.
    const seen = await ledger.look();
    // The config may have changed since the job was scheduled.
    if (ledger.toReplace !== undefined) return null;
    const leaves = leavesOf(limit, seen, now);
    const wanted =
      taken === undefined
        ? fewerRows(leaves, now)
        : moreRows(limit, leaves, taken);
    if (wanted === undefined) return null;
    const rows = await ledger.read();
    const into = ampleFanOut(limit, wanted);
    const all = gatheredRoot(allBalances(limit, rows, now), into);
    ledger.set([toRow(limit, all, now)]);
    await ledger.save(ctx);
    return null;
  },
});
