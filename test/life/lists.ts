import { balance, same, show, type Turn } from "./turn.js";
import {
  firstGrantOfAll,
  type AnyAsk,
  type Model,
  type Plan,
} from "../support/model.js";
import type { HoldAllReturns, LimitAllReturns } from "convex-rate-limiter";
import type { Exceeds, Item, Of, Told } from "./steps.js";
import { keep, toTaken } from "./holds.js";
import { judgeLoosely, takeFrom } from "./loosely.js";
import { noteExact } from "./requests.js";
import { idOf } from "./world.js";

/** The requests of a list to one limit and key. */
type Part = {
  of: Of;
  asks: AnyAsk[];
  /** Their indexes in the list. */
  indexes: number[];
  model: Model;
  plan: Plan;
  isExact: boolean;
};

type ListAnswer = LimitAllReturns | (HoldAllReturns & { retryAfter?: number });

type Followed = {
  /** The limit after the requests, if its balance is known. */
  left?: Model;
  /** What each request took; undefined if a dry run does not say. */
  taken: number[] | undefined;
};

export function askAll(
  turn: Turn,
  { verb, items, answer }: Told<"limitAll" | "checkAll">,
): void {
  const parts = judgeAll(turn, items, answer, verb === "limitAll");
  if (answer === "exceeds") return;
  // A denial shows the limit that denied; a grant, the one with the least left.
  const shown = answer.ok
    ? parts
    : parts.filter(({ indexes }) => indexes.includes(answer.blockedBy.index));
  const [least] = shown
    .flatMap(({ left }) => left ?? [])
    .map((model) => model.details(turn.now))
    .sort((a, b) => a.remaining - b.remaining);
  if (least === undefined) return;
  const { limit, remaining, resetAfter } = answer;
  const isRight = shown.every(({ isExact }) => isExact)
    ? same({ limit, remaining, resetAfter }, least)
    : remaining <= least.remaining;
  turn.require(isRight, `details ${show(least)}`);
}

export function holdAll(turn: Turn, { items, answer }: Told<"holdAll">): void {
  const asked = items.map(({ of, count }) => ({
    of,
    ask: { count, reserve: false },
  }));
  const parts = judgeAll(turn, asked, answer, true);
  if (answer === "exceeds" || !answer.ok) return;
  for (const { indexes, asks, taken } of parts) {
    for (const [i, index] of indexes.entries()) {
      const one = taken && [taken[i]!];
      keep(turn, items[index]!, answer.ids[index]!, toTaken(asks[i]!, one));
    }
  }
}

/** Judges the answer to a list, and takes what was granted. */
function judgeAll(
  turn: Turn,
  items: readonly Item[],
  answer: ListAnswer | Exceeds,
  takes: boolean,
): (Part & Followed)[] {
  const parts = partsOf(turn, items);
  if (answer === "exceeds") {
    turn.require(isTooMuch(turn, parts), "can be granted");
    return [];
  }
  if (answer.ok) judgeGrant(turn, parts, answer);
  else judgeDenial(turn, parts, answer);
  const isInList = parts.length > 1;
  return parts.map((part) => ({
    ...part,
    ...follow(turn, part, takes, answer, isInList),
  }));
}

/** Whether the list may throw because its requests can never be granted, alone or together. */
function isTooMuch({ now }: Turn, parts: readonly Part[]): boolean {
  if (parts.some(({ plan, isExact }) => !isExact || plan === "exceeds")) {
    return true;
  }
  return (
    firstGrantOfAll(parts, now) === undefined &&
    parts.some(({ model, asks }) => model.isTooMuch(asks, now))
  );
}

function partsOf(turn: Turn, items: readonly Item[]): Part[] {
  const parts = new Map<string, Pick<Part, "of" | "asks" | "indexes">>();
  for (const [index, { of, ask }] of items.entries()) {
    const { count, reserve, leave } = ask;
    const part = parts.get(idOf(of)) ?? { of, asks: [], indexes: [] };
    part.asks.push({ count, reserve, leave });
    part.indexes.push(index);
    parts.set(idOf(of), part);
  }
  return [...parts.values()].map((part) => {
    const model = turn.model(part.of);
    const plan = model.plan(part.asks, turn.now);
    return { ...part, model, plan, isExact: turn.isExact(part.of) };
  });
}

/** The plans of the parts whose balance is known exactly. */
function plansOf(turn: Turn, parts: readonly Part[]) {
  const exact = parts.filter(({ isExact }) => isExact);
  const plans = exact.flatMap(({ plan, indexes }) =>
    plan === "exceeds" ? [] : [{ plan, indexes }],
  );
  turn.require(plans.length === exact.length, "can never be granted");
  const refused = plans.flatMap(({ plan, indexes }) =>
    plan.ok ? [] : [indexes[plan.refused]!],
  );
  return {
    plans: plans.map(({ plan }) => plan),
    refused,
    isAll: exact.length === parts.length,
  };
}

function judgeDenial(
  turn: Turn,
  parts: readonly Part[],
  answer: ListAnswer & { ok: false },
): void {
  const { plans, refused, isAll } = plansOf(turn, parts);
  const { index } = answer.blockedBy;
  turn.require(index <= Math.min(...refused, Infinity), "blocked before");
  const blocking = parts.find(({ indexes }) => indexes.includes(index))!;
  const { of, asks, isExact } = blocking;
  if (isExact) turn.require(refused.includes(index), "not blocked by it");
  else judgeLoosely(turn, of, asks, answer, false, asks.length === 1);
  // The parts with a known balance show when they can be granted together. The others may take longer.
  const exact = parts.filter((part) => part.isExact);
  const first = firstGrantOfAll(exact, turn.now);
  const waits = plans.map((plan) => (plan.ok ? 0 : plan.retryAfter));
  const wait = first === undefined ? Math.max(...waits) : first - turn.now;
  const isSame =
    isAll && first !== undefined
      ? answer.retryAfter === wait
      : answer.retryAfter >= wait;
  turn.require(isSame, `retryAfter ${wait}`);
}

function judgeGrant(
  turn: Turn,
  parts: readonly Part[],
  { retryAfter = 0, wouldDeny }: ListAnswer & { ok: true },
): void {
  const { plans, refused, isAll } = plansOf(turn, parts);
  turn.require(refused.length === 0, `refused by ${refused.join()}`);
  const waits = plans.map((plan) => plan.retryAfter ?? 0);
  const longest = Math.max(0, ...waits);
  const isSame = isAll ? retryAfter === longest : retryAfter >= longest;
  turn.require(isSame, `retryAfter ${longest}`);
  if (!isAll) return;
  const would = plans.some((plan) => plan.ok && plan.wouldDeny);
  turn.require((wouldDeny ?? false) === would, `wouldDeny ${would}`);
}

/** Takes what a part was granted. */
function follow(
  turn: Turn,
  { of, asks, model, plan, isExact }: Part,
  takes: boolean,
  answer: ListAnswer,
  isInList: boolean,
): Followed {
  const { now } = turn;
  if (isExact) {
    const after = takes && answer.ok ? turn.touch(of).model : model.copy();
    const before = balance(after, now);
    if (answer.ok) {
      noteExact(turn, of, plan);
      after.follow(plan, now);
    }
    if (takes) turn.add(of, balance(after, now) - before);
    const isTaken = plan !== "exceeds" && plan.ok;
    return { left: after, taken: isTaken ? plan.taken : undefined };
  }
  if (!answer.ok) return { taken: undefined };
  const { wouldDeny = false } = answer;
  const { enforce, mode } = model.rule(now);
  const isHeldBack = enforce || mode === "unlimited";
  // In a list, `wouldDeny` may be about another limit.
  const mayBeAnother = wouldDeny && isInList;
  const says = isHeldBack ? false : mayBeAnother ? undefined : wouldDeny;
  const taken = judgeLoosely(turn, of, asks, { ok: true }, says);
  if (takes) takeFrom(turn, of, taken);
  return { taken };
}
