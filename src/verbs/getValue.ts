import { v } from "convex/values";
import { requireWhole, requireShortString } from "../core/checks.js";
import { vGivenConfig, vLimitKey, vValue } from "../core/validators.js";
import { query } from "../component/_generated/server.js";
import { showValue } from "../state/show.js";
import { lazily } from "./lazily.js";
import { open } from "./open.js";

/**
 * The balance of the whole limit, and what a client needs to project it. The time of the call matters
 * only for which overrides have begun or ended, and which windows of the calendar follow.
 */
export const getValue = query({
  args: lazily(() =>
    vLimitKey().extend({
      config: vGivenConfig(),
      sampleShards: v.optional(v.number()),
    }),
  ),
  returns: lazily(vValue),
  handler: async (ctx, args) => {
    const { name, key, sampleShards: size } = args;
    requireShortString(name, "key", key);
    const now = Date.now();
    const { phases, state } = await open(ctx, args, now);
    if (size !== undefined) requireWhole(name, "sampleShards", size);
    return showValue(await state(), phases, size, now);
  },
});
