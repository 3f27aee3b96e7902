import { v, type Infer } from "convex/values";
import { timeWhenFull } from "../core/bucket.js";
import { holdings, total } from "../core/rows.js";
import type { Account } from "./open.js";

export const vDetails = v.object({
  limit: v.number(),
  remaining: v.number(),
  resetAfter: v.number(),
});

/** The state of the whole limit after a call, for HTTP headers. */
export type Details = Infer<typeof vDetails>;

/** Looks at each row of the limit. */
export async function describe({
  rules,
  ledger,
  now,
}: Account): Promise<Details> {
  const [{ effect, limit, until }] = rules;
  const { whole, share, headroom, tolerance, period } = limit;
  const told = (remaining: number, resetAfter: number) => ({
    limit: whole.capacity,
    remaining: Math.max(0, Math.floor(remaining - headroom + tolerance)),
    resetAfter: Math.max(0, resetAfter),
  });
  if (effect === "unlimited") return told(whole.capacity, 0);
  const held = holdings(limit, await ledger.look(), now);
  const fullAt = Math.max(
    ...held.map((row) =>
      row.value >= share.capacity ? now : timeWhenFull(share, row),
    ),
  );
  if (effect === "limited") return told(total(held), fullAt - now);
  // A ban without end has no time at which it would pass: ask again in a period.
  const bannedUntil = until === Infinity ? now + Math.ceil(period) : until;
  return told(0, Math.max(fullAt, Math.ceil(bannedUntil)) - now);
}
