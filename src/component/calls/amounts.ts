import { requireAbove0, requireShort } from "../../core/reject.js";
import { give, type Gift } from "../../core/spread.js";
import type { Demand } from "../../core/grant.js";
import { firstRow, rowsToFill } from "../../core/policy.js";
import { holdings, isOutdated, total, type Held } from "../../core/rows.js";
import type { MutationCtx } from "../_generated/server.js";
import type { Named } from "../ledgers/ledger.js";
import { open, type Account } from "./open.js";
import { requireCount } from "./request.js";
import type { Charged } from "./signatures.js";
import { readRow, take } from "./take.js";
import { noteGrant } from "./warn.js";

/** What is given back, or taken without asking. */
type Amount = Named & { count?: number | undefined };

/** Gives tokens back, and says how many found room. */
export async function creditTo(
  ctx: MutationCtx,
  amount: Amount,
): Promise<{ credited: number }> {
  const { account, count } = await openFor(ctx, amount);
  const credited = await giveBack(account, count, Math.random);
  await account.ledger.save(ctx);
  return { credited };
}

/** Takes tokens without asking, and says when a debt is paid. */
export async function chargeTo(
  ctx: MutationCtx,
  amount: Amount,
): Promise<Charged> {
  const { account, count } = await openFor(ctx, amount);
  const charged = await takeAnyway(account, count, Math.random);
  await account.ledger.save(ctx);
  return charged;
}

/** Notes tokens as taken, into debt if need be, and says when that is paid. */
export async function takeAnyway(
  account: Account,
  count: number,
  random: () => number,
): Promise<Charged> {
  const demand: Demand = { count, debt: "any", leave: 0, upTo: false };
  const decision = await take(account, [demand], random);
  if (!decision.ok) throw new Error("A charge was denied.");
  const warnings = await noteGrant(account, decision.writes);
  return {
    retryAfter: decision.retryAfter,
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Notes tokens as given back, and says how many found room below the capacity. */
export async function giveBack(
  account: Account,
  count: number,
  random: () => number,
): Promise<number> {
  const { rules, ledger, now } = account;
  const [{ limit }] = rules;
  let gift =
    limit.shards > 1 ? await giveToFew(account, count, random) : undefined;
  if (gift === undefined) {
    const rows = await ledger.all();
    gift = give(limit, holdings(limit, rows, now), count, now);
  }
  ledger.set(gift.writes);
  return gift.credited;
}

/**
 * Gives to one row of a split limit, at random, or if that has no room to the emptiest.
 * Undefined if all have to be read: because they are in debt, or have changed since the look.
 */
async function giveToFew(
  { rules, ledger, now }: Account,
  count: number,
  random: () => number,
): Promise<Gift | undefined> {
  const [{ limit }] = rules;
  const { capacity } = limit.share;
  const first = await readRow(ledger, limit, firstRow(limit, random), now);
  if (first === undefined || first.value < 0) return undefined;
  if (capacity - first.value >= count) return give(limit, [first], count, now);

  const seen = await ledger.look();
  if (isOutdated(limit, seen, now)) return undefined;
  const chosen = rowsToFill(limit, holdings(limit, seen, now), count);
  const held: Held[] = [];
  for (const { shard } of chosen) {
    const row = await readRow(ledger, limit, shard, now);
    if (row === undefined || row.value < 0) return undefined;
    held.push(row);
  }
  const room = (rows: readonly Held[]) => capacity * rows.length - total(rows);
  const hasRoom = room(held) >= Math.min(count, room(chosen)) - limit.tolerance;
  return hasRoom ? give(limit, held, count, now) : undefined;
}

async function openFor(ctx: MutationCtx, amount: Amount) {
  const { name, key, count = 1 } = amount;
  requireShort(name, "key", key);
  requireAbove0(name, "count", count);
  const account = await open(ctx, amount, Date.now());
  requireCount(account.rules[0].limit, count);
  return { account, count };
}
