import { v } from "convex/values";
import {
  checkOverride,
  reject,
  requireBans,
  requireCreditable,
  requireField,
  requireOnce,
  requireShortString,
} from "../core/checks.js";
import { hasBegun } from "../core/phases.js";
import {
  type SetOverride,
  vGivenConfig,
  vLimitKey,
  vSetOverride,
} from "../core/validators.js";
import { mutation, type MutationCtx } from "../component/_generated/server.js";
import { creditGrowth } from "./adjust.js";
import { vCredited } from "./creditAndCharge.js";
import {
  inLayers,
  LAYERS,
  overridesIn,
  place,
  presentIn,
} from "../state/overrides/stored.js";
import { lazily } from "./lazily.js";

/**
 * Stores an override for one key, or without `key` for the whole limit. With `credit`, gives the
 * key what its capacity grows by.
 */
export const setOverride = mutation({
  args: lazily(() =>
    vSetOverride().extend({
      credit: v.optional(v.boolean()),
      /** For `credit`: the config of the limit, which the override changes. */
      config: v.optional(vGivenConfig()),
    }),
  ),
  returns: lazily(() => v.nullable(vCredited())),
  handler: async (ctx, { credit = false, config, ...set }) => {
    const store = () => storeOverride(ctx, set);
    if (!credit) return store();
    requireCreditable(set, config);
    const { name, key } = set;
    const target = { name, key, config };
    return { credited: await creditGrowth(ctx, target, config, store) };
  },
});

async function storeOverride(
  ctx: MutationCtx,
  set: SetOverride,
): Promise<null> {
  const { name, key, override, startsAt, expiresAt, note, once } = set;
  if ("config" in override) checkOverride(name, override.config);
  requireShortString(name, "key", key);
  requireShortString(name, "note", note);
  requireOnce(name, once);
  const now = Date.now();
  const layer = expiresAt === undefined ? LAYERS.lasting : LAYERS.timed;
  const old = await inLayers(ctx, set, layer).unique();
  const stored = old === null ? [] : overridesIn(old, now);
  if (once !== undefined && stored.some((one) => one.once === once)) {
    return null;
  }
  requireField(name, "startsAt", startsAt);
  requireField(name, "expiresAt", expiresAt);
  if (expiresAt !== undefined && expiresAt <= Math.max(now, startsAt ?? now)) {
    reject(name, "expiresAt", "in the future and after startsAt", expiresAt);
  }
  // One that begins later leaves the present one in force until then.
  const keepsPresent = old !== null && !hasBegun(set, now);
  const before = keepsPresent ? presentIn(old, now) : undefined;
  await place(ctx, old, { ...set, layer, before });
  return null;
}

/** Bans a key, for longer each time. */
export const penalize = mutation({
  args: lazily(() =>
    v.object({
      name: v.string(),
      key: v.string(),
      bans: v.array(v.number()),
      forgetAfter: v.number(),
      note: v.optional(v.string()),
      once: v.optional(v.string()),
    }),
  ),
  returns: lazily(() => v.object({ retryAfter: v.number() })),
  handler: async (ctx, { name, key, bans, forgetAfter, note, once }) => {
    requireShortString(name, "key", key);
    requireShortString(name, "note", note);
    requireOnce(name, once);
    requireBans(name, bans);
    requireField(name, "forgetAfter", forgetAfter);
    const now = Date.now();
    const last = await inLayers(ctx, { name, key }, LAYERS.ban).unique();
    if (once !== undefined && last?.once === once) {
      return { retryAfter: timeUntil(last.expiresAt ?? now, now) };
    }
    const isRemembered = last !== null && now < (last.forgetAt ?? now);
    const { bans: before = 0, expiresAt: earliest = now } = isRemembered
      ? last
      : {};
    const ban = bans[Math.min(before, bans.length - 1)]!;
    const expiresAt = Math.max(earliest, now + ban);
    await place(ctx, last, {
      name,
      key,
      layer: LAYERS.ban,
      override: { deny: true },
      startsAt: now,
      expiresAt,
      note,
      once,
      bans: before + 1,
      forgetAt: expiresAt + forgetAfter,
    });
    return { retryAfter: timeUntil(expiresAt, now) };
  },
});

const timeUntil = (time: number, now: number) =>
  Math.max(0, Math.ceil(time - now));

/** Removes the overrides of one key, bans included, or of the whole limit. */
export const clearOverride = mutation({
  args: lazily(vLimitKey),
  returns: lazily(() => v.null()),
  handler: async (ctx, limitKey) => {
    for (const { _id } of await inLayers(ctx, limitKey).collect()) {
      await ctx.db.delete("overrides", _id);
    }
    return null;
  },
});
