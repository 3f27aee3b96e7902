import type { Overrides } from "../../core/phases.js";
import type { TimedOverride } from "../../core/validators.js";
import type { Doc } from "../../component/_generated/dataModel.js";
import type { QueryCtx } from "../../component/_generated/server.js";

/**
 * The overrides of a key and those of the whole limit; undefined if there are none.
 *
 * Reads the index backwards from the key: the limit's own overrides come before those of any key.
 * If overrides of another key lie in between, the limit's own need a second read. Stops before the
 * limit's own if nothing below the key's can matter.
 */
export async function overridesOf(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
  now: number,
): Promise<Overrides | undefined> {
  const ofKey: TimedOverride[] = [];
  const ofLimit: TimedOverride[] = [];
  const upToKey = ctx.db
    .query("overrides")
    .withIndex("name", (q) => q.eq("name", name).lte("key", key))
    .order("desc");
  for await (const doc of upToKey) {
    if (doc.key === key) {
      ofKey.push(doc);
      continue;
    }
    if (ofKey.some((own) => isLast(own, now))) break;
    if (doc.key === undefined) ofLimit.push(doc);
    else {
      ofLimit.push(...(await storedOverrides(ctx, name, undefined)));
      break;
    }
  }
  if (ofKey.length + ofLimit.length === 0) return undefined;
  return { ofKey, ofLimit };
}

/**
 * Whether the overrides below this one cannot matter: it changes the config, has begun and never
 * ends. Below `deny` or `unlimited` they matter, for credits and charges.
 */
function isLast(
  { startsAt = -Infinity, expiresAt, override }: TimedOverride,
  now: number,
): boolean {
  const isForEver = startsAt <= now && expiresAt === undefined;
  return isForEver && "config" in override;
}

/** The overrides of one key; without a key, those of the whole limit. */
export function storedOverrides(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): Promise<Doc<"overrides">[]> {
  return ctx.db
    .query("overrides")
    .withIndex("name", (q) => q.eq("name", name).eq("key", key))
    .collect();
}
