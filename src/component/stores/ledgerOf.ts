import { isAsynchronous } from "../../core/config.js";
import type { Limit } from "../../core/limit.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import { AsynchronousLedger } from "./asynchronous/ledger.js";
import { LeaseLedger } from "./holds/ledger.js";
import type { Ledger, Named } from "./ledger.js";
import { RowLedger } from "./rows/ledger.js";

/** The one place that picks the store of a limit, by its kind and mode. */
export function ledgerOf(
  ctx: QueryCtx | MutationCtx,
  { name, key, config }: Named,
  limit: Limit,
  now: number,
): Ledger {
  if (config.kind === "concurrency")
    return new LeaseLedger(ctx, name, key, now);
  if (!isAsynchronous(config))
    return new RowLedger(ctx, { name, key, config }, limit, now);
  return new AsynchronousLedger(ctx, { name, key, config }, limit, now);
}
