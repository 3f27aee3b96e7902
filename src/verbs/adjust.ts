import { reject, requireCount, requireShortString } from "../core/checks.js";
import type { Demand } from "../core/demand.js";
import type { GivenConfig } from "../core/validators.js";
import type { MutationCtx } from "../component/_generated/server.js";
import type { Place, Target } from "../state/state.js";
import type { Charged } from "./creditAndCharge.js";
import { warningsOf } from "./decideAll.js";
import { open, type OpenLimit } from "./open.js";

/** Opens a limit for `creditTokens` or `chargeTokens`, and checks the count. */
export async function openToAdjust(
  ctx: MutationCtx,
  amount: Target<GivenConfig> & { count?: number | undefined },
): Promise<{ opened: OpenLimit; count: number }> {
  const { name, key, count = 1 } = amount;
  requireShortString(name, "key", key);
  const opened = await open(ctx, amount, Date.now());
  const { capacity } = opened.phases[0].limit.whole;
  requireCount(name, "move", count, capacity);
  return { opened, count };
}

/**
 * Gives a key what its capacity grows by, and returns how many tokens found room: tops it up to its
 * balance under the config `from` plus the growth. It gets at most that growth, and nothing if the
 * capacity does not grow.
 *
 * @param change What else changes the capacity.
 */
export async function creditGrowth(
  ctx: MutationCtx,
  { name, key, config }: Target<GivenConfig>,
  from: GivenConfig,
  change?: () => Promise<unknown>,
): Promise<number> {
  requireShortString(name, "key", key);
  const now = Date.now();
  const old = await open(ctx, { name, key, config: from }, now);
  const before = await balanceIn(old);
  await change?.();
  const opened = await open(ctx, { name, key, config }, now);
  const { limit } = opened.phases[0];
  const grown = limit.whole.capacity - old.phases[0].limit.whole.capacity;
  const count = Math.min(grown, grown + before - (await balanceIn(opened)));
  return count > limit.tolerance ? creditTokens(ctx, opened, count) : 0;
}

async function balanceIn({ phases, state, now }: OpenLimit): Promise<number> {
  const view = await (await state()).view();
  return view.balance(phases[0].limit, now);
}

/**
 * Charges tokens, into debt if need be. Returns the wait until that is paid, and the tokens that are
 * not taken because of `maxDebt`.
 *
 * @throws An `Error` that names the limit, if the debt would be larger than any number.
 */
export async function chargeTokens(
  ctx: MutationCtx,
  opened: OpenLimit,
  count: number,
): Promise<Charged> {
  const [{ effect, limit }] = opened.phases;
  if (effect === "unlimited") return {};
  const demand: Demand = { count, debt: "any", leave: 0, upTo: false };
  const state = await opened.state();
  const decision = await state.take([demand], Math.random);
  // Only such a debt is refused.
  if (!decision.ok) {
    const wanted = "small enough for its debt to be a finite number";
    reject(opened.name, "count", wanted, count);
  }
  state.put(decision.writes);
  await state.save(ctx);
  const warnings = warningsOf(opened, decision);
  const forgiven = count - decision.taken[0]!;
  return {
    retryAfter: decision.retryAfter,
    ...(forgiven > limit.tolerance && { forgiven }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/**
 * Gives tokens back, and returns how many found room below the capacity.
 *
 * @param place Where and when they were held, if that is known.
 */
export async function creditTokens(
  ctx: MutationCtx,
  opened: OpenLimit,
  count: number,
  place?: Place,
): Promise<number> {
  if (count === 0) return 0;
  const state = await opened.state();
  const { credited, writes } = await state.give(count, Math.random, place);
  state.put(writes);
  await state.save(ctx);
  return credited;
}
