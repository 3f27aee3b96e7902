import { mergedStream, stream } from "convex-helpers/server/stream";
import type { PaginationOptions } from "convex/server";
import type { StoredConfig } from "../core/config.js";
import type { QueryCtx } from "./_generated/server.js";
import { isLease } from "./leases.js";
import schema from "./schema.js";

/** What the cursors of these pages begin with: they come after those of all other limits. */
const PREFIX = "held:";

/** So many leases are passed over for one page. */
const MOST_READ = 4000;

type Page = {
  page: { name: string; key: string | undefined }[];
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
  const streams = names.map((name) =>
    stream(ctx.db, schema)
      .query("holds")
      .withIndex("name", (q) => q.eq("name", name))
      .filterWith(
        async (hold) =>
          isLease(hold) && hold.expiresAt > now && hold.taken !== undefined,
      ),
  );
  const found = await mergedStream(streams, ["name", "key", "expiresAt"])
    .distinct(["name", "key"])
    .paginate({
      ...options,
      cursor: within(cursor),
      endCursor: within(endCursor),
      maximumRowsRead: MOST_READ,
    });
  return {
    page: found.page.map(({ name, key }) => ({ name, key })),
    isDone: found.isDone,
    continueCursor: PREFIX + found.continueCursor,
  };
}

function within(cursor: string | null | undefined): string | null {
  return cursor?.slice(PREFIX.length) || null;
}
