import { v } from "convex/values";
import { vOwn } from "../core/validators.js";
import { internalQuery } from "../component/_generated/server.js";
import { callsOf, decideAll } from "../verbs/decideAll.js";
import type { LimitRequest } from "../verbs/open.js";
import type { AnswerToAll } from "../verbs/signatures.js";
import { isOlderSnapshot } from "../stores/stale.js";
import type { CountedCalls } from "../stores/stats/events.js";
import { lazily } from "./lazily.js";

/**
 * The answer to requests on limits with `stats`, what to count for it, and the random numbers
 * drawn. Null if the snapshot is older than the mutation's.
 */
export const answers = internalQuery({
  args: lazily(() =>
    v.object({
      requests: vOwn<LimitRequest[]>(),
      details: v.optional(v.boolean()),
      now: v.number(),
      snapshot: v.optional(v.int64()),
    }),
  ),
  returns: lazily(() =>
    v.nullable(
      vOwn<{ answer: AnswerToAll; calls: CountedCalls[]; drawn: number[] }>(),
    ),
  ),
  handler: async (ctx, { requests, details, now, snapshot }) => {
    if (isOlderSnapshot(ctx, snapshot)) return null;
    const drawn: number[] = [];
    const random = () => {
      const number = Math.random();
      drawn.push(number);
      return number;
    };
    const outcome = await decideAll(ctx, requests, { details }, now, random);
    return { answer: outcome.answer, calls: callsOf(outcome), drawn };
  },
});
