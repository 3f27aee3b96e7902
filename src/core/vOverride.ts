import { v, type Infer } from "convex/values";
import { vLimitKey } from "./vLimitKey.js";

/** What a stored override does: change the config, ban, or lift the limit. */
export const vOverride = () =>
  v.union(
    v.object({
      config: v.object({
        rate: v.optional(v.number()),
        period: v.optional(v.number()),
        capacity: v.optional(v.number()),
        maxReserved: v.optional(v.number()),
        enforce: v.optional(v.union(v.boolean(), v.number())),
      }),
    }),
    v.object({ deny: v.literal(true) }),
    v.object({ unlimited: v.literal(true) }),
  );

/** An override as stored; without `key`, it is for the whole limit. */
export const vStoredOverride = () =>
  vLimitKey().extend({
    override: vOverride(),
    /** When it begins, in ms since the epoch; absent for at once. */
    startsAt: v.optional(v.number()),
    /** When it was set, in ms; absent for bans of `penalize`. */
    setAt: v.optional(v.number()),
    /** When it ends, in ms since the epoch; absent for never. */
    expiresAt: v.optional(v.number()),
    note: v.optional(v.string()),
    /** How many bans in a row this one makes, from 1 up; absent if set by `setOverride`. */
    bans: v.optional(v.number()),
    /** Until when the next ban counts on from it, in ms; absent if set by `setOverride`. */
    forgetAt: v.optional(v.number()),
  });

/** An override as it is listed. */
export const vListedOverride = () => vStoredOverride().omit("setAt");

export type Override = Infer<ReturnType<typeof vOverride>>;
export type ConfigOverride = Extract<Override, { config: object }>["config"];
export type StoredOverride = Infer<ReturnType<typeof vStoredOverride>>;

/** An override and when it holds: from `startsAt` up to, but not including, `expiresAt`. */
export type TimedOverride = Pick<
  StoredOverride,
  "override" | "startsAt" | "setAt" | "expiresAt" | "bans" | "forgetAt"
>;
