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

/** A stored override; without a key, of the whole limit. */
export const vStoredOverride = () =>
  vLimitKey().extend({
    override: vOverride(),
    /** From when on it holds, in ms; absent for at once. */
    startsAt: v.optional(v.number()),
    /** When it was set, in ms; absent for bans of `penalize`, and for what older releases stored. */
    setAt: v.optional(v.number()),
    /** From when on it is ignored, in ms; absent for never. */
    expiresAt: v.optional(v.number()),
    note: v.optional(v.string()),
    /** Which ban in a row it is, from 1 up; absent for what `setOverride` stores. */
    bans: v.optional(v.number()),
    /** Until when it is remembered for the next ban, in ms; absent if it is no such ban. */
    forgetAt: v.optional(v.number()),
  });

export type Override = Infer<ReturnType<typeof vOverride>>;
export type ConfigOverride = Extract<Override, { config: object }>["config"];
export type StoredOverride = Infer<ReturnType<typeof vStoredOverride>>;

/** An override and the time in which it holds: from `startsAt` on, and before `expiresAt`. */
export type TimedOverride = Pick<
  StoredOverride,
  "override" | "startsAt" | "setAt" | "expiresAt" | "bans" | "forgetAt"
>;
