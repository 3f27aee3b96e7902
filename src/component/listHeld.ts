import { compareValues } from "convex/values";
import type { NamedLimits } from "../core/vConfig.js";
import type { Row } from "../core/rows.js";
import type { QueryCtx } from "./_generated/server.js";
import type { Opts, Page } from "./inTurn.js";
import { readKeysInOrder, type Place } from "./keysInOrder.js";
import { leasesOf, toRows } from "./ledgers/leases.js";

/** Which of the limits to be listed are limits on what runs at once. */
export function heldNames(
  limits: NamedLimits,
  only: string | undefined,
): string[] {
  return limits
    .filter(({ config }) => config.kind === "concurrency")
    .map(({ name }) => name)
    .filter((name) => only === undefined || only === name);
}

/** A page of keys of limits on what runs at once that are held, each once, by name and key, with its leases. */
export async function readHeldKeys(
  ctx: QueryCtx,
  names: readonly string[],
  opts: Opts,
  now: number,
): Promise<Page<Place & { rows: Row[] }>> {
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
  const show = async ({ name, key }: Place) => {
    const rows = toRows(await leasesOf(ctx, name, key, now));
    return rows.length > 0 ? { name, key, rows } : undefined;
  };
  return readKeysInOrder(next, show, opts);
}
