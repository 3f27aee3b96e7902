import { v } from "convex/values";
import { gathered, holdings, leavesOf, toRow } from "../core/rows.js";
import { fewerRows } from "../core/shrink.js";
import { internalMutation } from "./_generated/server.js";
import { openStored } from "./calls/open.js";
import { vNamed } from "./calls/signatures.js";
import { RowLedger } from "./stores/rows/ledger.js";

/**
 * Housekeeping of one limit and key that has split itself: if it has been calm for long, gathers
 * its rows in one, and divides that among fewer rows than before.
 */
export const shrink = internalMutation({
  args: vNamed().fields,
  returns: v.null(),
  handler: async (ctx, named): Promise<null> => {
    const now = Date.now();
    const { phases, ledger } = await openStored(ctx, named, now);
    const [{ limit }] = phases;
    if (!(ledger instanceof RowLedger)) return null;
    // A look first: if there is nothing to do, the job conflicts with nobody.
    const seen = await ledger.look();
    // The config may have changed since the job was scheduled.
    if (ledger.replaced !== undefined) return null;
    const most = fewerRows(leavesOf(limit, seen, now), now);
    if (most === undefined) return null;
    const rows = await ledger.read();
    const all = gathered(limit, holdings(limit, rows, now), most);
    ledger.set([toRow(limit, all, now)]);
    await ledger.save(ctx);
    return null;
  },
});
