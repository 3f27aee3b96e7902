import { v } from "convex/values";
import { vConcurrency, vConfig } from "./vConfig.js";

/** What `getValue` returns. */
export const vValue = () =>
  v.object({
    value: v.number(),
    ts: v.number(),
    shard: v.number(),
    config: v.union(vConfig(), vConcurrency()),
    segments: v.optional(
      v.array(
        v.object({
          effect: v.union(
            v.literal("limited"),
            v.literal("banned"),
            v.literal("unlimited"),
          ),
          config: vConfig(),
          until: v.optional(v.number()),
          shards: v.number(),
          rows: v.array(
            v.object({
              value: v.number(),
              ts: v.number(),
              endsAt: v.optional(v.number()),
              starts: v.optional(v.array(v.number())),
              parts: v.optional(v.number()),
            }),
          ),
          fullFrom: v.optional(v.number()),
          starts: v.optional(v.array(v.number())),
        }),
      ),
    ),
  });
