import { v } from "convex/values";
import { vShownConfig } from "./config.js";

/** What is stored of a row, without its key. */
export const vRow = v.object({
  shard: v.number(),
  value: v.number(),
  ts: v.number(),
  fullAt: v.optional(v.number()),
  usedAt: v.optional(v.number()),
  of: v.optional(v.number()),
  capacity: v.optional(v.number()),
});

const vRule = v.object({
  effect: v.union(
    v.literal("limited"),
    v.literal("banned"),
    v.literal("unlimited"),
  ),
  config: vShownConfig,
  until: v.optional(v.number()),
});

/** What `getValue` returns. */
export const vValue = v.object({
  value: v.number(),
  ts: v.number(),
  shard: v.number(),
  config: vShownConfig,
  rows: v.optional(v.array(vRow)),
  rules: v.optional(v.array(vRule)),
});
