import { v, type Validator } from "convex/values";
import { vConcurrency, vConfig } from "./vConfig.js";

const valueOf = <Config extends Validator<unknown, "required", string>>(
  config: Config,
) =>
  v.object({
    value: v.number(),
    ts: v.number(),
    shard: v.number(),
    config,
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
              fullAt: v.optional(v.number()),
              starts: v.optional(v.array(v.number())),
            }),
          ),
          fullFrom: v.optional(v.number()),
          starts: v.optional(v.array(v.number())),
        }),
      ),
    ),
  });

/** What `getValue` returns. */
export const vValue = () => valueOf(vConfig());

/** What it returns of a limit on what runs at once. */
export const vHeldValue = () => valueOf(vConcurrency());
