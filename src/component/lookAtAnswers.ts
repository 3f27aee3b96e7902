import { v } from "convex/values";
import { vStoredConfig } from "../core/vConfig.js";
import { internalQuery } from "./_generated/server.js";
import { answerAll, callsOf, type Call } from "./calls/request.js";
import {
  vAlone,
  vAnswerToAll,
  vCall,
  type AnswerToAll,
} from "./calls/signatures.js";
import { isAged } from "./ledgers/look.js";

type Seen = { answer: AnswerToAll; calls: Call[]; drawn: number[] };

/**
 * What requests would be answered, for those that count a denial; null if that is older than the
 * mutation's snapshot.
 */
export const look = internalQuery({
  get args() {
    return {
      requests: v.array(
        v.object({ ...vAlone().fields, config: vStoredConfig() }),
      ),
      details: v.optional(v.boolean()),
      now: v.number(),
      snapshot: v.optional(v.int64()),
    };
  },
  get returns() {
    const vSeen = v.object({
      answer: vAnswerToAll(),
      calls: v.array(vCall()),
      drawn: v.array(v.number()),
    });
    return v.union(vSeen, v.null());
  },
  handler: async (
    ctx,
    { requests, details, now, snapshot },
  ): Promise<Seen | null> => {
    if (isAged(ctx, snapshot)) return null;
    const drawn: number[] = [];
    const random = () => {
      const number = Math.random();
      drawn.push(number);
      return number;
    };
    const outcome = await answerAll(ctx, requests, { details }, now, random);
    return { answer: outcome.answer, calls: callsOf(outcome), drawn };
  },
});
