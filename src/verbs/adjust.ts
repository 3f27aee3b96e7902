import type { StoredConfig } from "../core/config.js";
import type { Demand } from "../core/demand.js";
import { ABOVE_0, requireShortString, requireValue } from "../core/checks.js";
import { allBalances, total } from "../core/rows.js";
import type { GivenConfig } from "../core/validators.js";
import type { MutationCtx } from "../component/_generated/server.js";
import type { Target } from "../stores/ledger.js";
import { warningsOf } from "./decideAll.js";
import { open, type OpenLimit, requireCount } from "./open.js";
import type { Charged } from "./signatures.js";

/** How many tokens to credit or to charge. */
type Amount = Target<GivenConfig> & { count?: number | undefined };

/** Opens a limit for `creditTokens` or `chargeTokens`, and checks the count. */
export async function openToAdjust(
  ctx: MutationCtx,
  amount: Amount,
): Promise<{ opened: OpenLimit; count: number }> {
  const { name, key, count = 1 } = amount;
  requireShortString(name, "key", key);
  requireValue(name, "count", ABOVE_0, count);
  const opened = await open(ctx, amount, Date.now());
  requireCount(opened.phases[0].limit, count);
  return { opened, count };
}

/**
 * Opens a limit whose config was `from` until now. `count` tops the key up to its balance under
 * `from` plus the growth of the capacity: it is at most that growth, and 0 if the capacity did not
 * grow.
 */
export async function openToCreditGrowth(
  ctx: MutationCtx,
  { name, key, config }: Target,
  from: StoredConfig,
): Promise<{ opened: OpenLimit; count: number }> {
  requireShortString(name, "key", key);
  const now = Date.now();
  const before = await fillOf(
    await open(ctx, { name, key, config: from }, now),
  );
  const opened = await open(ctx, { name, key, config }, now);
  return { opened, count: await growthToCredit(before, opened) };
}

/** A key's balance and capacity. */
type Fill = { balance: number; capacity: number };

/** The fill of a key now. {@link growthToCredit} compares it with the one before a change. */
export async function fillOf({
  phases: [{ limit }],
  ledger,
  now,
}: OpenLimit): Promise<Fill> {
  const balance = total(allBalances(limit, await ledger.read(), now));
  return { balance, capacity: limit.whole.capacity };
}

/** How many tokens a key needs to hold its earlier balance plus the growth of its capacity. */
export async function growthToCredit(
  before: Fill,
  opened: OpenLimit,
): Promise<number> {
  const { balance, capacity } = await fillOf(opened);
  const grown = capacity - before.capacity;
  const count = Math.min(grown, grown + before.balance - balance);
  return count > opened.phases[0].limit.tolerance ? count : 0;
}

/** Charges tokens, into debt if need be, and returns the wait until that is paid. */
export async function chargeTokens(
  ctx: MutationCtx,
  opened: OpenLimit,
  count: number,
  random: () => number = Math.random,
): Promise<Charged> {
  const demand: Demand = { count, debt: "any", leave: 0, upTo: false };
  const decision = await opened.ledger.decide([demand], random);
  if (!decision.ok) throw new Error("A charge was denied.");
  opened.ledger.set(decision.writes);
  await opened.ledger.save(ctx);
  const warnings = warningsOf(opened, decision);
  return {
    retryAfter: decision.retryAfter,
    ...(warnings.length > 0 && { warnings }),
  };
}

/**
 * Gives tokens back, and returns how many found room below the capacity.
 *
 * @param shard The row to try first, of a split limit. Random by default.
 */
export async function creditTokens(
  ctx: MutationCtx,
  opened: OpenLimit,
  count: number,
  shard?: number,
  random: () => number = Math.random,
): Promise<number> {
  if (count === 0) return 0;
  const { ledger } = opened;
  const { credited, writes } = await ledger.credit(count, random, shard);
  ledger.set(writes);
  await ledger.save(ctx);
  return credited;
}
