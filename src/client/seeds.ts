import { newSeed } from "../core/random.js";
import type { MutationCtx, QueryCtx } from "./types.js";

/*
 * A check and the calls that follow it in the same mutation choose rows by the same random numbers.
 * Otherwise they would read different rows, each of which others may write meanwhile.
 */

const seeds = new WeakMap<object, number>();

/** The seed of a check. Undefined outside mutations: there its answer may come from a cache. */
export function seedToCheck(ctx: QueryCtx): number | undefined {
  if (!("runMutation" in ctx && "db" in ctx)) return undefined;
  const seed = seeds.get(ctx) ?? newSeed();
  seeds.set(ctx, seed);
  return seed;
}

/** The seed of the checks of this mutation, if there were any. */
export function seedOf(ctx: MutationCtx): number | undefined {
  return seeds.get(ctx);
}
