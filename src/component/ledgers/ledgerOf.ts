import { appends } from "../../core/config.js";
import type { Limit } from "../../core/limit.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import { Leases } from "./leases.js";
import type { Ledger, Named } from "./ledger.js";
import { rowsOf } from "./rows.js";
import { Takings } from "./takings.js";

/** Where the state of a limit and key is kept, by the limit's kind and mode. */
export function ledgerOf(
  ctx: QueryCtx | MutationCtx,
  { name, key, config }: Named,
  limit: Limit,
  now: number,
): Ledger {
  if (config.kind === "concurrency") return new Leases(ctx, name, key, now);
  if (!appends(config)) return rowsOf(ctx, { name, key, config }, limit, now);
  return new Takings(ctx, { name, key, config }, limit, now);
}
