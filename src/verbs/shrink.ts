import { v } from "convex/values";
import type { StoredRefillingConfig } from "../core/config.js";
import { fewerRows } from "../core/heat.js";
import {
  ampleFanOut,
  gatheredRoot,
  allBalances,
  leavesOf,
  toRow,
} from "../core/rows.js";
import { vLimitKey, vOwn } from "../core/validators.js";
import { internalMutation } from "../component/_generated/server.js";
import { openChecked } from "./open.js";
import { RowLedger } from "../stores/rows/ledger.js";

/**
 * Housekeeping of one limit key that has split itself: after a long calm, gathers its rows in one,
 * and divides that among fewer rows than before.
 */
export const shrink = internalMutation({
  args: { ...vLimitKey().fields, config: vOwn<StoredRefillingConfig>() },
  returns: v.null(),
  handler: async (ctx, target): Promise<null> => {
    const now = Date.now();
    const { ledger } = await openChecked(ctx, target, now);
    if (!(ledger instanceof RowLedger)) return null;
    const { limit } = ledger;
    // A look first: if there is nothing to do, the job conflicts with nobody.
    const seen = await ledger.look();
    // The config may have changed since the job was scheduled.
    if (ledger.toReplace !== undefined) return null;
    const most = fewerRows(leavesOf(limit, seen, now), now);
    if (most === undefined) return null;
    const rows = await ledger.read();
    const into = ampleFanOut(limit, most);
    const all = gatheredRoot(allBalances(limit, rows, now), into);
    ledger.set([toRow(limit, all, now)]);
    await ledger.save(ctx);
    return null;
  },
});
