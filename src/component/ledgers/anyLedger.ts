import type { MakeLedger } from "./ledger.js";
import { leasesOf } from "./leases.js";
import { takingsOrRowsOf } from "./takings.js";

/** Of a limit of any kind. */
export const anyLedgerOf: MakeLedger = (ctx, account, limit, now) =>
  account.config.kind === "concurrency"
    ? leasesOf(ctx, account, limit, now)
    : takingsOrRowsOf(ctx, account, limit, now);
