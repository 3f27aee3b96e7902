import type { Infer, ObjectType } from "convex/values";
import { countedShare } from "../../core/config.js";
import type { Decision } from "../../core/decide.js";
import type { Demand } from "../../core/demand.js";
import { rateLimitedError } from "../../core/errors.js";
import { remaining, shareReached } from "../../core/limit.js";
import { requireShort } from "../../core/checks.js";
import { allBalances, type Row, total } from "../../core/rows.js";
import { sum } from "../../core/sum.js";
import {
  forecast,
  timeUntilFull,
  timeUntilGranted,
  type Waiting,
} from "../../core/wait.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import type { Call } from "../stores/stats/events.js";
import { decideOn } from "./decideOn.js";
import {
  byLimitKey,
  open,
  type OpenLimit,
  type LimitRequest,
  toDemand,
} from "./open.js";
import type {
  AllDenied,
  AnswerToAll,
  Denied,
  answerFlags,
  vDetails,
  Warning,
} from "./signatures.js";

/** The options of an answer. */
export type AnswerFlags = ObjectType<ReturnType<typeof answerFlags>>;

/** The requests of one limit key, and the decision on them. */
export type Decided = {
  opened: OpenLimit;
  /** The indexes of the requests in the list. */
  indexes: number[];
  demands: Demand[];
  decision: Decision;
};

/** The answer to a list of requests, with what was taken. */
export type Outcome = {
  answer: AnswerToAll;
  decided: readonly Decided[];
  /** The tokens that each request takes. */
  taken: number[];
  /** Which shares of `warnAt` they reach. */
  warnings: Warning[];
};

/**
 * Takes for all requests, or for none. The ledgers show what was taken, but nothing is saved: a
 * check takes without saving.
 *
 * @throws `ExceedsCapacity` if a request can never be granted; `RateLimited` if the requests are
 * denied and `throws` is set.
 */
export async function decideAll(
  ctx: QueryCtx | MutationCtx,
  requests: readonly LimitRequest[],
  { throws, details }: AnswerFlags,
  now: number,
  random: () => number = Math.random,
): Promise<Outcome> {
  for (const { name, key } of requests) requireShort(name, "key", key);
  const decided: Decided[] = [];
  for (const indexes of byLimitKey(requests)) {
    const opened = await open(ctx, requests[indexes[0]!]!, now);
    const { limit } = opened.phases[0];
    const demands = indexes.map((index) => toDemand(limit, requests[index]!));
    const decision = await decideOn(opened, demands, random);
    decided.push({ opened, indexes, demands, decision });
  }
  const answer = await answerOf(requests, decided);
  if (!answer.ok && throws === true) {
    const { name, key } = requests[answer.blockedBy.index]!;
    throw rateLimitedError(name, key, answer.retryAfter);
  }
  const { taken, warnings } = await putAll(answer.ok ? decided : []);
  if (details === true) Object.assign(answer, await leastRemaining(decided));
  return { answer, decided, taken, warnings };
}

/** Puts what is granted into the ledgers. */
async function putAll(
  decided: readonly Decided[],
): Promise<Pick<Outcome, "taken" | "warnings">> {
  const taken: number[] = [];
  const warnings: Warning[] = [];
  for (const { opened, indexes, decision } of decided) {
    if (!decision.ok) continue;
    warnings.push(...(await put(opened, decision.writes)));
    for (const [i, index] of indexes.entries()) {
      taken[index] = decision.taken[i]!;
    }
  }
  return { taken, warnings };
}

/**
 * Puts the rows that a grant changes into the ledger. Returns a warning if the grant reached a
 * share of `warnAt`.
 */
export async function put(
  opened: OpenLimit,
  writes: readonly Row[],
): Promise<Warning[]> {
  const { name, key, phases, ledger } = opened;
  const [{ limit, config }] = phases;
  const { warnAt } = config;
  if (warnAt === undefined || writes.length === 0) {
    ledger.set(writes);
    return [];
  }
  const before = await balanceNow(opened);
  ledger.set(writes);
  const after = await balanceNow(opened);
  const share = shareReached(limit, warnAt, before, after);
  if (share === undefined) return [];
  const { capacity } = limit.whole;
  const left = remaining(limit, after);
  return [{ name, key, share, limit: capacity, remaining: left }];
}

async function balanceNow({ phases, ledger, now }: OpenLimit): Promise<number> {
  return total(allBalances(phases[0].limit, await ledger.look(), now));
}

/** The answer to a list of one request. */
export function toOne<Granted extends { ok: true }>(
  answer: Granted | AllDenied,
): Granted | Denied {
  if (answer.ok) return answer;
  const { blockedBy: _, ...denied } = answer;
  return denied;
}

/** How many tokens a request with `upTo` gets: its count in a dry run, or while unlimited. */
function takenUpTo({
  opened: { phases },
  demands: [demand],
  decision,
}: Decided): number | undefined {
  if (!decision.ok || !demand!.upTo) return undefined;
  const [{ effect, limit }] = phases;
  const isLimited = effect !== "unlimited" && limit.enforce;
  return isLimited ? decision.taken[0]! : demand!.count;
}

async function answerOf(
  requests: readonly LimitRequest[],
  decided: readonly Decided[],
): Promise<AnswerToAll> {
  let blocked: number | undefined;
  let retryAfter: number | undefined;
  let wouldDeny: true | undefined;
  for (const { indexes, decision } of decided) {
    if (decision.ok) {
      const { retryAfter: wait } = decision;
      if (wait !== undefined) retryAfter = Math.max(wait, retryAfter ?? wait);
      if (decision.wouldDeny) wouldDeny = true;
    } else {
      const index = indexes[decision.refused[0]!]!;
      blocked = Math.min(index, blocked ?? index);
    }
  }
  if (blocked === undefined) {
    const taken = takenUpTo(decided[0]!);
    return { ok: true, retryAfter, wouldDeny, taken };
  }
  const { name } = requests[blocked]!;
  const blockedBy = { index: blocked, name };
  return { ok: false, retryAfter: await waitForAll(decided), blockedBy };
}

/** The wait until the whole list would be granted, in ms. */
async function waitForAll(decided: readonly Decided[]): Promise<number> {
  const all: Waiting[] = [];
  for (const { opened, demands, decision } of decided) {
    const { phases, ledger } = opened;
    if (!decision.ok) {
      all.push({ phases, demands, forecast: decision.forecast });
    } else if (phases.length > 1) {
      // A later phase may deny what is granted now.
      const rows = await ledger.look();
      all.push({ phases, demands, forecast: forecast(rows, demands) });
    }
  }
  return timeUntilGranted(all, decided[0]!.opened.now);
}

/** The details of the limit with the fewest tokens left. */
async function leastRemaining(
  decided: readonly Decided[],
): Promise<Details | undefined> {
  const all: Details[] = [];
  for (const { opened } of decided) all.push(await detailsOf(opened));
  return all.sort((a, b) => a.remaining - b.remaining)[0];
}

/** The state of the whole limit after a call, for HTTP headers. */
export type Details = Infer<ReturnType<typeof vDetails>>;

/** The details of a limit. Looks at each of its rows. */
async function detailsOf(opened: OpenLimit): Promise<Details> {
  const { phases, ledger, now } = opened;
  const [{ effect, limit }] = phases;
  const { capacity } = limit.whole;
  // An unlimited key shows as full.
  const rows = effect === "unlimited" ? [] : await ledger.look();
  const balance =
    effect === "banned" ? 0 : total(allBalances(limit, rows, now));
  return {
    limit: capacity,
    remaining: remaining(limit, balance),
    resetAfter: timeUntilFull(phases, rows, now),
  };
}

/**
 * The calls to count, of limits with `stats`. In a denied list, items that fit are not counted:
 * they were neither granted nor denied.
 *
 * @param close The close calls among them: see `Ledger.save`.
 */
export function callsOf(
  { answer, decided }: Outcome,
  close: readonly Decided[] = [],
): Call[] {
  const calls: Call[] = [];
  for (const one of decided) {
    const { opened, indexes, decision } = one;
    const { name, key, phases } = opened;
    const share = countedShare(phases[0].config);
    if (share === 0 || (decision.ok && !answer.ok)) continue;
    const stats = decision.ok
      ? {
          granted: indexes.length,
          denied: 0,
          tokens: sum(decision.taken),
          ...(decision.wouldDeny && { wouldDeny: decision.wouldDeny.length }),
          ...(close.includes(one) && { closeCalls: 1 }),
        }
      : { granted: 0, denied: decision.refused.length, tokens: 0 };
    calls.push({ name, key, share, stats });
  }
  return calls;
}
