import type { PaginationOptions } from "convex/server";
import { compareValues } from "convex/values";
import type { StoredConfig } from "../core/config.js";
import type { QueryCtx } from "./_generated/server.js";
import { readKeysInOrder, type Place } from "./keysInOrder.js";
import { leasesOf } from "./leases.js";

/** What the cursors of these pages begin with: they come after those of all other limits. */
const PREFIX = "held:";

type Page = {
  page: Place[];
  isDone: boolean;
  continueCursor: string;
};

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

/** The cursor at which these pages begin. */
export const FIRST_HELD = PREFIX;

export function isOfHeld(cursor: string | null | undefined): boolean {
  return cursor?.startsWith(PREFIX) === true;
}

/** A page of keys of limits on what runs at once that are held, each once, by name and key. */
export async function readHeldPage(
  ctx: QueryCtx,
  names: readonly string[],
  { cursor, endCursor, ...options }: PaginationOptions,
  now: number,
): Promise<Page> {
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
  const found = await readKeysInOrder(next, isHeld, {
    ...options,
    cursor: within(cursor),
    endCursor: within(endCursor),
  });
  return { ...found, continueCursor: PREFIX + found.continueCursor };
}

function within(cursor: string | null | undefined): string | null {
  return cursor?.slice(PREFIX.length) || null;
}
