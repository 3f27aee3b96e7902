import { v, type Infer } from "convex/values";
import type { vValue } from "../../core/vValue.js";
import {
  vConfig,
  vStoredConfig,
  vStoredRateLimit,
} from "../../core/vConfig.js";
import { vFigures } from "../../core/vFigures.js";
import { vPlace } from "../../core/vPlace.js";

/* The arguments and the results that the modules of several ledgers share. */

/** Whose limit it is, and its config. */
export const vAccount = () => vPlace().extend({ config: vStoredRateLimit() });

/** One of the requests of a list. */
export const vRequest = () =>
  vAccount().extend({
    count: v.optional(v.number()),
    reserve: v.optional(v.boolean()),
    leave: v.optional(v.number()),
  });

/** A request that comes alone, and may be content with fewer tokens. */
export const vAlone = () =>
  vRequest().extend({ upTo: v.optional(v.boolean()) });

/** How an answer is given. */
export const options = () => ({
  throws: v.optional(v.boolean()),
  details: v.optional(v.boolean()),
});

/** How one limit is asked. */
export const vOne = () => vAlone().extend(options());

/** The same of a limit of any kind, for who takes nothing. */
export const vAsk = () =>
  v.object({ ...vOne().fields, config: vStoredConfig() });
export type Ask = Infer<ReturnType<typeof vAsk>>;

/** How several are asked at once. */
export const vAll = () =>
  v.object({ limits: v.array(vRequest()), ...options() });
export type All = Infer<ReturnType<typeof vAll>>;

/** What is given back, or taken without asking. */
export const vAmount = () =>
  vAccount().extend({ count: v.optional(v.number()) });

export const vGetValue = () =>
  vPlace().extend({
    config: vStoredConfig(),
    sampleShards: v.optional(v.number()),
  });
export type GetValue = Infer<ReturnType<typeof vGetValue>>;
export type Value = Infer<ReturnType<typeof vValue>>;

/** What another package queues. */
export const vUpdate = () =>
  v.union(
    vPlace().extend({
      kind: v.literal("consume"),
      count: v.number(),
      config: vConfig(),
      ts: v.number(),
    }),
    vPlace().extend({ kind: v.literal("reset") }),
  );

export const vCredited = () => v.object({ credited: v.number() });
export type Credited = Infer<ReturnType<typeof vCredited>>;

/** That a grant was the first to use a share of the capacity. */
const vWarning = () =>
  vPlace().extend({
    share: v.number(),
    limit: v.number(),
    remaining: v.number(),
  });
export type Warning = Infer<ReturnType<typeof vWarning>>;

/** What there is to warn of, of limits with `warnAt`. */
export const warnings = () => ({ warnings: v.optional(v.array(vWarning())) });

export const vCharged = () =>
  v.object({ retryAfter: v.optional(v.number()), ...warnings() });
export type Charged = Infer<ReturnType<typeof vCharged>>;

export const vDetails = () =>
  v.object({
    limit: v.number(),
    remaining: v.number(),
    resetAfter: v.number(),
  });

const vGranted = () =>
  v.object({
    ok: v.literal(true),
    retryAfter: v.optional(v.number()),
    wouldDeny: v.optional(v.literal(true)),
    taken: v.optional(v.number()),
    ...warnings(),
    ...vDetails().partial().fields,
  });

/** The answer to a request that is denied. */
export const vDenied = () =>
  v.object({
    ok: v.literal(false),
    retryAfter: v.number(),
    ...vDetails().partial().fields,
  });

/** The answer to one request. */
export const vAnswer = () => v.union(vGranted(), vDenied());
export type Answer = Infer<ReturnType<typeof vAnswer>>;

/** The answer to several requests. */
export const vAnswerToAll = () =>
  v.union(
    vGranted(),
    vDenied().extend({
      blockedBy: v.object({ index: v.number(), name: v.string() }),
    }),
  );
export type AnswerToAll = Infer<ReturnType<typeof vAnswerToAll>>;

/** What is counted of the requests of one limit and key. */
export const vCall = () =>
  vPlace().extend({
    /** What share of such calls is counted. */
    share: v.number(),
    figures: vFigures(),
  });

/** A hold that was granted, or denied. */
export const vHeld = () =>
  v.union(
    v.object({
      ok: v.literal(true),
      id: v.string(),
      retryAfter: v.optional(v.number()),
      wouldDeny: v.optional(v.literal(true)),
      ...warnings(),
    }),
    vDenied(),
  );
export type Held = Infer<ReturnType<typeof vHeld>>;
