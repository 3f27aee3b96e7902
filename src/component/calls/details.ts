import type { Infer } from "convex/values";
import { timeUntilFull } from "../../core/wait.js";
import { remaining } from "../../core/limit.js";
import { holdings, total } from "../../core/rows.js";
import type { OpenLimit } from "./open.js";
import type { vDetails } from "./signatures.js";

/** The state of the whole limit after a call, for HTTP headers. */
export type Details = Infer<ReturnType<typeof vDetails>>;

/** The details of a limit. Looks at each of its rows. */
export async function detailsOf(opened: OpenLimit): Promise<Details> {
  const { phases, ledger, now } = opened;
  const [{ effect, limit }] = phases;
  const { capacity } = limit.whole;
  // A lifted limit shows as full.
  const rows = effect === "unlimited" ? [] : await ledger.look();
  const balance = effect === "banned" ? 0 : total(holdings(limit, rows, now));
  return {
    limit: capacity,
    remaining: remaining(limit, balance),
    resetAfter: timeUntilFull(phases, rows, now),
  };
}
