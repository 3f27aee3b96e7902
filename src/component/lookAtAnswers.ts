import { v } from "convex/values";
import { vStoredConfig } from "../core/vConfig.js";
import { internalQuery } from "./_generated/server.js";
import { opener } from "./calls/open.js";
import { answerAll, type Call } from "./calls/request.js";
import {
  vAlone,
  vAnswerToAll,
  vCall,
  type AnswerToAll,
} from "./calls/signatures.js";
import { anyLedgerOf } from "./ledgers/anyLedger.js";

/** What requests would be answered, for those that count a denial. */
export const look = internalQuery({
  get args() {
    return {
      requests: v.array(
        v.object({ ...vAlone().fields, config: vStoredConfig() }),
      ),
      details: v.optional(v.boolean()),
      now: v.number(),
    };
  },
  get returns() {
    return v.object({
      answer: vAnswerToAll(),
      calls: v.array(vCall()),
      drawn: v.array(v.number()),
    });
  },
  handler: async (
    ctx,
    { requests, details, now },
  ): Promise<{ answer: AnswerToAll; calls: Call[]; drawn: number[] }> => {
    const drawn: number[] = [];
    const random = () => {
      const number = Math.random();
      drawn.push(number);
      return number;
    };
    const open = opener(ctx, anyLedgerOf, now);
    const outcome = await answerAll(open, requests, { details }, random);
    return { answer: outcome.answer, calls: outcome.calls, drawn };
  },
});
