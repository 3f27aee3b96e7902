import { mergedStream, stream } from "convex-helpers/server/stream";
import type { PaginationOptions } from "convex/server";
import type { LimitConfig } from "../core/config.js";
import type { QueryCtx } from "./_generated/server.js";
import { isLease, leasesOf, toRows, type Lease } from "./leases.js";
import type { Row } from "../core/rows.js";
import schema from "./schema.js";

/** What the cursors of these pages begin with: they come after those of all other limits. */
const PREFIX = "held:";

/** So many leases are passed over for one page. */
const MOST_READ = 4000;

type Page = { page: Lease[]; isDone: boolean; continueCursor: string };

/** Which of the limits to be listed are limits on what runs at once. */
export function heldNames(
  limits: readonly { name: string; config: LimitConfig }[],
  only: string | undefined,
): string[] {
  return limits
    .filter(({ config }) => config.kind === "concurrency")
    .map(({ name }) => name)
    .filter((name) => only === undefined || only === name);
}

/** The cursor at which these pages begin. */
export const FIRST_HELD = PREFIX;

export function isOfHeld(cursor: string | null): boolean {
  return cursor?.startsWith(PREFIX) === true;
}

/** A page of keys of limits on what runs at once, each by one of its leases, by name and key. */
export async function readHeldPage(
  ctx: QueryCtx,
  names: readonly string[],
  { cursor, ...options }: PaginationOptions,
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
      cursor: cursor?.slice(PREFIX.length) || null,
      maximumRowsRead: MOST_READ,
    });
  return {
    page: found.page.filter(isLease),
    isDone: found.isDone,
    continueCursor: PREFIX + found.continueCursor,
  };
}

/** The rows of a limit and key that one of its leases is of. */
export async function rowsHeld(
  ctx: QueryCtx,
  { name, key }: Lease,
  now: number,
): Promise<Row[]> {
  return toRows(await leasesOf(ctx, name, key, now));
}
