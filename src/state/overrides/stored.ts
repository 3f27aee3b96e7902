import type { WithoutSystemFields } from "convex/server";
import { hasBegun, hasEnded } from "../../core/phases.js";
import type {
  LimitKey,
  ListedOverride,
  TimedOverride,
} from "../../core/validators.js";
import type { Doc } from "../../component/_generated/dataModel.js";
import type {
  MutationCtx,
  QueryCtx,
} from "../../component/_generated/server.js";

/** The overrides of a key, or of a whole limit: at most one per layer. The highest in force applies. */
export const LAYERS = { lasting: 0, timed: 1, ban: 2 } as const;

/**
 * The overrides of a key, then those of the whole limit, in the order in which they win.
 *
 * Reads the index backwards from the key: the limit's own overrides come before those of any key.
 * If overrides of another key lie in between, the limit's own need a second read. Stops where
 * nothing below can matter.
 */
export async function overridesOf(
  ctx: QueryCtx,
  { name, key }: LimitKey,
  now: number,
): Promise<TimedOverride[]> {
  const found: TimedOverride[] = [];
  const upToKey = ctx.db
    .query("overrides")
    .withIndex("name", (q) => q.eq("name", name).lte("key", key))
    .order("desc");
  for await (const row of upToKey) {
    const isOfOther = row.key !== key && row.key !== undefined;
    const rows = isOfOther ? await inLayers(ctx, { name }).collect() : [row];
    found.push(...rows.flatMap((one) => overridesIn(one, now)));
    const isForEver = hasBegun(row, now) && row.expiresAt === undefined;
    // Below `deny` or `unlimited` the others matter, for credits and charges.
    if (isOfOther || (isForEver && "config" in row.override)) break;
  }
  return found;
}

/**
 * The rows of one key, or without a key those of the whole limit: of all layers, the highest first,
 * or of one.
 */
export function inLayers(
  { db }: QueryCtx,
  { name, key }: LimitKey,
  layer?: number,
) {
  const rows = db.query("overrides").withIndex("name", (q) => {
    const ofKey = q.eq("name", name).eq("key", key);
    return layer === undefined ? ofKey : ofKey.eq("layer", layer);
  });
  return rows.order("desc");
}

/** Stores a row in place of the one of its layer. */
export async function place(
  ctx: MutationCtx,
  old: Doc<"overrides"> | null,
  row: WithoutSystemFields<Doc<"overrides">>,
): Promise<void> {
  if (old === null) await ctx.db.insert("overrides", row);
  else await ctx.db.replace("overrides", old._id, row);
}

/** The overrides that a row holds: its own, and the one that applies until that begins. */
export function overridesIn(
  { before, ...own }: Doc<"overrides">,
  now: number,
): Doc<"overrides">[] {
  const isOver =
    before === undefined || hasBegun(own, now) || hasEnded(before, now);
  if (isOver) return [own];
  const { _id, _creationTime, name, key, layer, startsAt = Infinity } = own;
  const expiresAt = Math.min(before.expiresAt ?? Infinity, startsAt);
  return [own, { _id, _creationTime, name, key, layer, ...before, expiresAt }];
}

/** What a row keeps of the override that applies now, for one that is to replace it later. */
export function presentIn(
  { before, ...own }: Doc<"overrides">,
  now: number,
): Doc<"overrides">["before"] {
  const present = hasBegun(own, now) ? own : before;
  if (present === undefined || hasEnded(present, now)) return undefined;
  const { override, startsAt, expiresAt, note, once } = present;
  return { override, startsAt, expiresAt, note, once };
}

/** An override as it is listed: one that lasts has no end, even if another one is to replace it. */
export function toListed({
  _id,
  _creationTime,
  layer,
  expiresAt,
  once: _,
  before: __,
  ...listed
}: Doc<"overrides">): ListedOverride {
  return layer === LAYERS.lasting ? listed : { ...listed, expiresAt };
}
