import { compareValues } from "convex/values";
import type { StoredConfig } from "../core/config.js";
import type { QueryCtx } from "./_generated/server.js";
import type { Opts, Page } from "./inTurn.js";
import { readKeysInOrder, type Place } from "./keysInOrder.js";
import { leasesOf } from "./leases.js";

/** Which of the limits to be listed are limits on what runs at once. */
export function heldNames(
  limits: readonly { name: string; config: StoredConfig }[],
  only: string | undefined,
): string[] {
  return limits
    .filter(({ config }) => config.kind === "concurrency")
    .map(({ name }) => name)
    .filter((name) => only === undefined || only === name);
}

/** A page of keys of limits on what runs at once that are held, each once, by name and key. */
export async function readHeldKeys(
  ctx: QueryCtx,
  names: readonly string[],
  opts: Opts,
  now: number,
): Promise<Page<Place>> {
  const inOrder = names.toSorted(compareValues);
  const next = async (after: Place | undefined) => {
    for (const name of inOrder) {
      if (after && compareValues(name, after.name) < 0) continue;
      const found = await ctx.db
        .query("holds")
        .withIndex("name", (q) => {
          const ofName = q.eq("name", name);
          return after?.name === name ? ofName.gt("key", after.key) : ofName;
        })
        .first();
      if (found !== null) return { name, key: found.key };
    }
    return undefined;
  };
  const isHeld = async ({ name, key }: Place) => {
    const leases = await leasesOf(ctx, name, key, now);
    return leases.some(({ taken }) => taken !== undefined);
  };
  return readKeysInOrder(next, isHeld, opts);
}
