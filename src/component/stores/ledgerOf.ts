import { isAsynchronous } from "../../core/config.js";
import type { Limit } from "../../core/limit.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import { AsynchronousLedger } from "./asynchronous/ledger.js";
import { LeaseLedger } from "./holds/ledger.js";
import type { Ledger, Named } from "./ledger.js";
import { rowLedgerOf } from "./rows/ledger.js";
import { TreeLedger } from "./tree/ledger.js";

/** The one place that picks the store of a limit, by its kind and mode. */
export function ledgerOf(
  ctx: QueryCtx | MutationCtx,
  { name, key, config }: Named,
  limit: Limit,
  now: number,
): Ledger {
  if (config.kind === "concurrency")
    return new LeaseLedger(ctx, name, key, now);
  if (limit.isAuto)
    return new TreeLedger(ctx, { name, key, config }, limit, now);
  if (!isAsynchronous(config))
    return rowLedgerOf(ctx, { name, key, config }, limit, now);
  return new AsynchronousLedger(ctx, { name, key, config }, limit, now);
}
