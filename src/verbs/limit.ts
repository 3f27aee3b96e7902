import { v, type Infer } from "convex/values";
import { vGivenConfig } from "../core/validators.js";
import { mutation, query } from "../component/_generated/server.js";
import { decideAll, toChecked } from "./decideAll.js";
import { lazily } from "./lazily.js";
import {
  answerFlags,
  type AnswerToAll,
  vDenied,
  vGranted,
  vRequest,
  vWouldGrant,
} from "./signatures.js";
import { takeAll } from "./takeAll.js";

/** The arguments of `rateLimit`. */
const vRateLimitArgs = () => vRequest().extend(answerFlags());

/** The answer to one request. */
const vAnswer = () => v.union(vGranted(), vDenied());
type Answer = Infer<ReturnType<typeof vAnswer>>;

/** Takes tokens, or denies. */
export const rateLimit = mutation({
  args: lazily(vRateLimitArgs),
  returns: lazily(vAnswer),
  handler: async (ctx, { throws, details, seed, ...args }) => {
    const flags = { throws, details, seed };
    const request = { denyDebt: throws, ...args };
    const { answer } = await takeAll(ctx, [request], flags, Date.now());
    return toSingleAnswer(answer);
  },
});

/** The arguments of `checkRateLimit`, which also checks concurrency limits. */
const vCheckArgs = () =>
  v.object({ ...vRateLimitArgs().fields, config: vGivenConfig() });

/** The answer to one request that is only checked. */
const vChecked = () => v.union(vWouldGrant(), vDenied());

/** What `rateLimit` or `hold` would answer. */
export const checkRateLimit = query({
  args: lazily(vCheckArgs),
  returns: lazily(vChecked),
  handler: async (ctx, { throws, details, seed, ...args }) => {
    const flags = { throws, details, seed };
    const request = { denyDebt: throws, ...args };
    const { answer } = await decideAll(ctx, [request], flags, Date.now());
    return toSingleAnswer(toChecked(answer));
  },
});

/** The answer to a list of one request. */
function toSingleAnswer(answer: AnswerToAll): Answer {
  const { each: _, ...single } = answer;
  if (single.ok) return single;
  const { blockedBy: __, ...denied } = single;
  return denied;
}
