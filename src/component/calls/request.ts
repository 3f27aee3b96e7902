import type { Infer, ObjectType } from "convex/values";
import { countedShare, type StoredConfig } from "../../core/config.js";
import { resolutionOf, type Limit } from "../../core/limit.js";
import { reject, requireAtLeast0, requireShort } from "../../core/reject.js";
import { idOf } from "../../core/hash.js";
import { sum } from "../../core/rows.js";
import { forecast, timeUntilGranted, type Waiting } from "../../core/wait.js";
import type { Decision } from "../../core/decide.js";
import type { Demand } from "../../core/grant.js";
import { rateLimitedError } from "../../core/errors.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import type { Named } from "../ledgers/ledger.js";
import { detailsOf, type Details } from "./details.js";
import { open, type Account } from "./open.js";
import { take } from "./take.js";
import { noteGrant } from "./warn.js";
import type {
  Answer,
  AnswerToAll,
  options,
  vAlone,
  vCall,
  Warning,
} from "./signatures.js";

/** One request of one limit. */
export type Request = Omit<Infer<ReturnType<typeof vAlone>>, "config"> & Named;

/** How an answer is given. */
export type AnswerOptions = ObjectType<ReturnType<typeof options>>;

/** What is asked of one limit and key: one request, or several of a list. */
type Group = {
  account: Account;
  /** The places of the requests in the list. */
  indexes: number[];
  demands: Demand[];
  decision: Decision;
};

/** What is counted of the requests of one limit and key. */
export type Call = Infer<ReturnType<typeof vCall>>;

/** An answer, and if it is a grant how many tokens it takes and what there is to warn of. */
export type Outcome = {
  answer: AnswerToAll;
  groups: readonly Group[];
  taken: number;
  warnings: Warning[];
};

/**
 * Answers requests that are granted together or not at all. What they take is noted in the
 * ledgers of their groups, and not saved yet.
 *
 * @throws `ExceedsCapacity` if one can never be granted; `RateLimited` if they are denied
 * and `throws`.
 */
export async function answerAll(
  ctx: QueryCtx | MutationCtx,
  requests: readonly Request[],
  { throws, details }: AnswerOptions,
  now: number,
  random: () => number = Math.random,
): Promise<Outcome> {
  for (const { name, key } of requests) requireShort(name, "key", key);
  const groups: Group[] = [];
  for (const indexes of byAccount(requests)) {
    const [first] = indexes;
    const account = await open(ctx, requests[first!]!, now);
    const { limit } = account.rules[0];
    const demands = indexes.map((index) => toDemand(limit, requests[index]!));
    const decision = await take(account, demands, random);
    groups.push({ account, indexes, demands, decision });
  }
  const answer = await answerOf(requests, groups);
  if (!answer.ok && throws === true) {
    const { name, key } = requests[answer.blockedBy.index]!;
    throw rateLimitedError(name, key, answer.retryAfter);
  }
  let taken = 0;
  const warnings: Warning[] = [];
  for (const { account, demands, decision } of groups) {
    if (!answer.ok || !decision.ok) break;
    warnings.push(...(await noteGrant(account, decision.writes)));
    taken += sum(decision.taken);
    const [demand] = demands;
    if (demand!.upTo) {
      answer.taken = isHeldBack(account) ? decision.taken[0]! : demand!.count;
    }
  }
  if (details === true) Object.assign(answer, await leastRemaining(groups));
  return { answer, groups, taken, warnings };
}

/** Answers one request, as {@link answerAll} does. */
export async function answerOne(
  ctx: QueryCtx | MutationCtx,
  { throws, details, ...request }: Request & AnswerOptions,
  now: number,
): Promise<Answer> {
  const options = { throws, details };
  const all = await answerAll(ctx, [request], options, now);
  return alone(all.answer);
}

/** The answer to a request that came alone. */
export function alone(answer: AnswerToAll): Answer {
  if (answer.ok) return answer;
  const { blockedBy: _, ...denied } = answer;
  return denied;
}

/**
 * What there is to count, of limits that count. Of a list that is denied, what would have been
 * granted is neither granted nor denied.
 */
export function callsOf({ answer, groups }: Outcome): Call[] {
  const calls: Call[] = [];
  for (const { account, indexes, decision } of groups) {
    const { name, key, rules } = account;
    const share = countedShare(rules[0].config);
    if (share === 0 || (decision.ok && !answer.ok)) continue;
    const figures = decision.ok
      ? {
          granted: indexes.length,
          denied: 0,
          tokens: sum(decision.taken),
          ...(decision.wouldDeny && { wouldDeny: decision.wouldDeny.length }),
        }
      : { granted: 0, denied: decision.refused.length, tokens: 0 };
    calls.push({ name, key, share, figures });
  }
  return calls;
}

/** Whether a request can get less than it asks for: not in a dry run, nor if unlimited. */
function isHeldBack({ rules: [{ effect, limit }] }: Account): boolean {
  return effect !== "unlimited" && limit.enforce;
}

/**
 * Checks what a caller asks of a limit and fills in the defaults.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
function toDemand(
  limit: Limit,
  { count = 1, reserve = false, leave = 0, upTo = false }: Request,
): Demand {
  requireCount(limit, count);
  if (limit.kind === "concurrency" && reserve) {
    throw new Error(
      `Rate limit ${limit.name}: what is held cannot be reserved. Its kind is "concurrency".`,
    );
  }
  requireAtLeast0(limit.name, "leave", leave);
  if (upTo && reserve) {
    throw new Error(
      `Rate limit ${limit.name}: upTo and reserve exclude each other.`,
    );
  }
  if (upTo && count < 1) {
    reject(limit.name, "count", "at least 1 with upTo", count);
  }
  return {
    count: upTo ? Math.floor(count) : count,
    // What must leave tokens cannot make a debt.
    debt: reserve && leave === 0 ? "reserve" : "none",
    leave: Math.max(leave, limit.headroom),
    upTo,
  };
}

/** @throws An `Error` that names the limit and the value. */
export function requireCount(limit: Limit, count: number): void {
  const { name, whole } = limit;
  requireAtLeast0(name, "count", count);
  const least = resolutionOf(whole.capacity);
  if (count > 0 && count <= least) {
    reject(name, "count", `0, or above ${least}: its capacity is large`, count);
  }
}

/**
 * The places of the requests in the list, those of the same limit and key together.
 *
 * @throws An `Error` if the same limit and key come with different configs.
 */
function byAccount(requests: readonly Request[]): number[][] {
  if (requests.length === 0) throw new Error("The list of limits is empty.");
  if (requests.length === 1) return [[0]];
  const groups = new Map<string, number[]>();
  requests.forEach(({ name, key, config }, index) => {
    const id = idOf({ name, key });
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [index]);
    else if (isSame(config, requests[group[0]!]!.config)) group.push(index);
    else {
      throw new Error(
        `Rate limit ${name} comes twice in the list for the same key, with different configs.`,
      );
    }
  });
  return [...groups.values()];
}

function isSame(a: StoredConfig, b: StoredConfig): boolean {
  const text = (config: StoredConfig) =>
    JSON.stringify(Object.entries(config).sort());
  return a === b || text(a) === text(b);
}

async function answerOf(
  requests: readonly Request[],
  groups: readonly Group[],
): Promise<AnswerToAll> {
  let blocked: number | undefined;
  let retryAfter: number | undefined;
  let wouldDeny: true | undefined;
  for (const { indexes, decision } of groups) {
    if (decision.ok) {
      const { retryAfter: wait } = decision;
      if (wait !== undefined) retryAfter = Math.max(wait, retryAfter ?? wait);
      if (decision.wouldDeny) wouldDeny = true;
    } else {
      const index = indexes[decision.refused[0]!]!;
      blocked = Math.min(index, blocked ?? index);
    }
  }
  if (blocked === undefined) return { ok: true, retryAfter, wouldDeny };
  const { name } = requests[blocked]!;
  const blockedBy = { index: blocked, name };
  return { ok: false, retryAfter: await waitForAll(groups), blockedBy };
}

/** In how many ms all of a list would be granted. */
async function waitForAll(groups: readonly Group[]): Promise<number> {
  const all: Waiting[] = [];
  for (const { account, demands, decision } of groups) {
    const { rules } = account;
    if (!decision.ok) {
      all.push({ rules, demands, forecast: decision.forecast });
    } else if (rules.length > 1) {
      // What is granted now may not be under the rules that follow.
      const rows = await account.ledger.look();
      all.push({ rules, demands, forecast: forecast(rows, demands) });
    }
  }
  return timeUntilGranted(all, groups[0]!.account.now);
}

/** The details of the limit that has the fewest tokens left. */
async function leastRemaining(
  groups: readonly Group[],
): Promise<Details | undefined> {
  const all: Details[] = [];
  for (const { account } of groups) all.push(await detailsOf(account));
  return all.sort((a, b) => a.remaining - b.remaining)[0];
}
