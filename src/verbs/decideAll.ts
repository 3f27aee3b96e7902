import type { Infer, ObjectType } from "convex/values";
import { countedShare } from "../core/config.js";
import { type Decision, grantUnlimited } from "../core/decide.js";
import { type Demand, toDemand } from "../core/demand.js";
import { rateLimitedError } from "../core/errors.js";
import { remainingOf } from "../core/limit.js";
import { seeded } from "../core/random.js";
import { requireShortString } from "../core/checks.js";
import { sum } from "../core/sum.js";
import {
  forecastByTotal,
  timeUntilFull,
  timeUntilGranted,
  type Waiting,
} from "../core/wait.js";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";
import type { Saved } from "../state/state.js";
import type { CountedCalls } from "../state/stats/events.js";
import { byLimitKey, open, type OpenLimit, type LimitRequest } from "./open.js";
import type {
  AnswerToAll,
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
  /** Once it is saved. */
  saved?: Saved;
};

/** The answer to a list of requests, with what was taken. */
export type Outcome = {
  answer: AnswerToAll;
  decided: readonly Decided[];
  /** The tokens that each request takes; undefined while its key is unlimited. */
  taken: (number | undefined)[];
};

/**
 * Grants all requests, or none. The states show what the requests take, but nothing is saved: a
 * check never saves.
 *
 * @throws `ExceedsCapacity` if a request can never be granted; `RateLimited` if the requests are
 * denied and `throws` is set.
 */
export async function decideAll(
  ctx: QueryCtx | MutationCtx,
  requests: readonly LimitRequest[],
  { throws, details, seed }: AnswerFlags,
  now: number,
): Promise<Outcome> {
  const random = seed === undefined ? Math.random : seeded(seed);
  for (const { name, key } of requests) requireShortString(name, "key", key);
  const groups = requests.length === 1 ? [[0]] : byLimitKey(requests);
  const decided: Decided[] = [];
  for (const indexes of groups) {
    const opened = await open(ctx, requests[indexes[0]!]!, now);
    const { limit } = opened.phases[0];
    const demands = indexes.map((index) => toDemand(limit, requests[index]!));
    const decision =
      opened.phases[0].effect === "unlimited"
        ? grantUnlimited(demands)
        : await (await opened.state()).take(demands, random);
    decided.push({ opened, indexes, demands, decision });
  }
  const outcome = decided.every(({ decision }) => decision.ok)
    ? await grantAll(decided)
    : await denyAll(requests, decided, throws);
  if (details !== true) return outcome;
  const each = await detailsOfEach(decided);
  const { answer } = outcome;
  const shown = answer.ok
    ? each.reduce((a, b) => (b.remaining < a.remaining ? b : a))
    : each[answer.blockedBy.index];
  return { ...outcome, answer: { ...answer, ...shown, each } };
}

/** Grants all requests: puts what they take into the states. */
async function grantAll(decided: readonly Decided[]): Promise<Outcome> {
  const taken: (number | undefined)[] = [];
  const warnings: Warning[] = [];
  const letThrough: number[] = [];
  let retryAfter: number | undefined;
  for (const { opened, indexes, decision } of decided) {
    if (!decision.ok) continue;
    const { retryAfter: wait } = decision;
    if (decision.writes.length > 0) {
      (await opened.state()).put(decision.writes);
    }
    warnings.push(...warningsOf(opened, decision));
    if (wait !== undefined) retryAfter = Math.max(wait, retryAfter ?? wait);
    const isUnlimited = opened.phases[0].effect === "unlimited";
    for (const [i, index] of indexes.entries()) {
      taken[index] = isUnlimited ? undefined : decision.taken[i]!;
      if (decision.letThrough?.includes(i)) letThrough.push(index);
    }
  }
  const { opened, demands } = decided[0]!;
  const { count, upTo } = demands[0]!;
  // With `upTo`, it gets its count in a dry run, and while unlimited.
  const got = opened.phases[0].limit.enforce ? (taken[0] ?? count) : count;
  const answer: AnswerToAll = {
    ok: true,
    retryAfter,
    taken: upTo ? got : undefined,
    ...(letThrough.length > 0 && { wouldDeny: true, letThrough }),
    ...(warnings.length > 0 && { warnings }),
  };
  return { answer, decided, taken };
}

/** The warning that a grant gives, if any. */
export function warningsOf(
  { name, key, phases }: OpenLimit,
  { warning }: Extract<Decision, { ok: true }>,
): Warning[] {
  if (warning === undefined) return [];
  const { capacity } = phases[0].limit.whole;
  return [{ name, key, limit: capacity, ...warning }];
}

/** Denies all requests, because of the first one that is refused. */
async function denyAll(
  requests: readonly LimitRequest[],
  decided: readonly Decided[],
  throws: boolean | undefined,
): Promise<Outcome> {
  const refused: number[] = [];
  const waiting: Waiting[] = [];
  for (const { opened, indexes, demands, decision } of decided) {
    const { phases, state } = opened;
    if (!decision.ok) {
      refused.push(indexes[decision.refused[0]!]!);
      waiting.push({ phases, demands, forecast: decision.forecast });
    } else if (phases.length > 1) {
      // A later phase may deny what is granted now.
      const view = await (await state()).glance();
      const forecast = forecastByTotal(view, demands);
      waiting.push({ phases, demands, forecast });
    }
  }
  const index = Math.min(...refused);
  const { name } = requests[index]!;
  const retryAfter = timeUntilGranted(waiting, decided[0]!.opened.now);
  if (throws === true) throw rateLimitedError(name, retryAfter);
  const blockedBy = { index, name };
  const answer: AnswerToAll = { ok: false, retryAfter, blockedBy };
  return { answer, decided, taken: [] };
}

/** The answer to a check: without what only the app's callbacks need, since a check calls none. */
export function toChecked(answer: AnswerToAll): AnswerToAll {
  if (!answer.ok) return answer;
  const { warnings: _, letThrough: __, ...checked } = answer;
  return checked;
}

/** The state of the whole limit after a call, for HTTP headers. */
type Details = Infer<ReturnType<typeof vDetails>>;

/** The details of each request's limit, in the order of the list. Looks at each of its rows. */
async function detailsOfEach(decided: readonly Decided[]): Promise<Details[]> {
  const each: Details[] = [];
  for (const { opened, indexes } of decided) {
    const details = await detailsOf(opened);
    for (const index of indexes) each[index] = details;
  }
  return each;
}

async function detailsOf({ phases, state, now }: OpenLimit): Promise<Details> {
  const [{ effect, limit }] = phases;
  const { capacity } = limit.whole;
  if (effect === "unlimited") {
    return {
      limit: capacity,
      remaining: remainingOf(limit, capacity),
      resetAfter: 0,
    };
  }
  const view = await (await state()).glance();
  const balance = effect === "banned" ? 0 : view.balance(limit, now);
  return {
    limit: capacity,
    remaining: remainingOf(limit, balance),
    resetAfter: timeUntilFull(phases, view, now),
  };
}

/**
 * The calls to count, of limits with `stats`. In a denied list, items that fit are not counted:
 * they were neither granted nor denied.
 */
export function callsOf({ answer, decided }: Outcome): CountedCalls[] {
  const calls: CountedCalls[] = [];
  for (const { opened, indexes, decision, saved } of decided) {
    const { name, key, phases } = opened;
    const share = countedShare(phases[0].config);
    if (share === 0 || (decision.ok && !answer.ok)) continue;
    const stats = decision.ok
      ? {
          granted: indexes.length,
          denied: 0,
          tokens: sum(decision.taken),
          ...(decision.letThrough && { wouldDeny: decision.letThrough.length }),
          ...(saved?.isClose && { closeCalls: 1 }),
        }
      : { granted: 0, denied: decision.refused.length, tokens: 0 };
    calls.push({ name, key, share, stats });
  }
  return calls;
}
