import { v } from "convex/values";
import { vConfig, vStoredRateLimit } from "../core/vConfig.js";
import { mutation, query } from "./_generated/server.js";
import { chargeTo, creditTo, vAmount } from "./calls/amounts.js";
import { allArgs, askAll, askOne, askValue, oneArgs } from "./ask.js";
import { clear, reset } from "./clear.js";
import { vAccount } from "./calls/open.js";
import { vAnswer, vAnswerToAll } from "./calls/request.js";
import { serveAll, serveOne } from "./calls/serve.js";

export { getServerTime } from "./time.js";

/**
 * Takes tokens, or denies. Granted: reads one row and writes it, as a rule; more
 * only for a limit that is split and short. Denied: writes nothing.
 * With `stats` it looks first without a read dependency, and appends a row either way.
 */
export const rateLimit = mutation({
  args: oneArgs,
  returns: vAnswer,
  handler: async (ctx, args) => (await serveOne(ctx, args, Date.now())).answer,
});

/** What `rateLimit` would say. Reads the rows that it would read. */
export const checkRateLimit = query(askOne);

/**
 * Takes from all of the limits or from none. Reads and writes the rows that the
 * single calls would; denied, it writes nothing, unless `stats` counts it.
 */
export const limitAll = mutation({
  args: allArgs,
  returns: vAnswerToAll,
  handler: async (ctx, { limits, ...options }) =>
    (await serveAll(ctx, limits, options, Date.now())).answer,
});

/** What `limitAll` would say. Reads the rows that it would read. */
export const checkAll = query(askAll);

/**
 * Gives tokens back, up to the capacity, and says how many found room. Reads one
 * row and writes it, as a rule; more only for a limit that is split and whose row
 * has no room for all of them, or is in debt. A full limit is not written.
 */
export const credit = mutation({
  args: vAmount.fields,
  returns: v.object({ credited: v.number() }),
  handler: (ctx, args) => creditTo(ctx, args, Date.now()),
});

/**
 * Takes tokens without asking, into debt if need be; `retryAfter` is then when the
 * debt is paid. Reads and writes the rows that a reservation would.
 */
export const charge = mutation({
  args: vAmount.fields,
  returns: v.object({ retryAfter: v.optional(v.number()) }),
  handler: (ctx, args) => chargeTo(ctx, args, Date.now()),
});

/**
 * The balance of the whole limit and when it was right, for clients that project
 * it themselves. Reads each row of the limit, or `sampleShards` random ones and
 * scales up.
 */
export const getValue = query(askValue);

/**
 * Makes a limit full for a key. Reads and deletes each of its rows; with the config of a
 * limit whose takings are appended, it appends one record instead.
 */
export const resetRateLimit = mutation({
  args: { ...vAccount.fields, config: v.optional(vStoredRateLimit) },
  returns: v.null(),
  handler: async (ctx, account) => {
    await reset(ctx, account);
    return null;
  },
});

/**
 * Makes every limit full: deletes the rows that were stored up to `before`, by default all,
 * the newest first, 100 per transaction; where takings are appended, it appends a record
 * instead. Schedules itself until none is left. Overrides and holds stay.
 */
export const clearAll = mutation({
  args: { before: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { before }) => {
    await clear(ctx, before);
    return null;
  },
});

const vUpdate = v.union(
  v.object({
    kind: v.literal("consume"),
    name: v.string(),
    key: v.optional(v.string()),
    count: v.number(),
    config: vConfig,
    ts: v.number(),
  }),
  v.object({
    kind: v.literal("reset"),
    name: v.string(),
    key: v.optional(v.string()),
  }),
);

/**
 * What `@convex-dev/rate-limiter` queues for `applyUpdates: "asynchronously"`. Here
 * it is applied at once: a `consume` is a `charge`, a `reset` a reset.
 */
export const enqueueUpdates = mutation({
  args: { updates: v.array(vUpdate) },
  returns: v.null(),
  handler: async (ctx, { updates }) => {
    for (const update of updates) {
      if (update.kind === "reset")
        await reset(ctx, { name: update.name, key: update.key });
      else if (update.count !== 0) await chargeTo(ctx, update, Date.now());
    }
    return null;
  },
});
