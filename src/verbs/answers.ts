import { v } from "convex/values";
import { vOwn } from "../core/validators.js";
import { internalQuery } from "../component/_generated/server.js";
import { callsOf, decideAll } from "./decideAll.js";
import type { LimitRequest } from "./open.js";
import type { AnswerToAll } from "./signatures.js";
import { isOlderSnapshot } from "../state/stale.js";
import type { CountedCalls } from "../state/stats/events.js";
import { lazily } from "./lazily.js";

/**
 * The answer to requests on limits with `stats`, and what to count for it. Null if the snapshot is
 * older than the mutation's.
 */
export const answers = internalQuery({
  args: lazily(() =>
    v.object({
      requests: vOwn<LimitRequest[]>(),
      details: v.optional(v.boolean()),
      seed: v.number(),
      now: v.number(),
      snapshot: v.optional(v.int64()),
    }),
  ),
  returns: lazily(() =>
    v.nullable(vOwn<{ answer: AnswerToAll; calls: CountedCalls[] }>()),
  ),
  handler: async (ctx, { requests, now, snapshot, ...flags }) => {
    if (isOlderSnapshot(ctx, snapshot)) return null;
    const outcome = await decideAll(ctx, requests, flags, now);
    return { answer: outcome.answer, calls: callsOf(outcome) };
  },
});
