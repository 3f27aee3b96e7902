import { balance, show, type Turn } from "./turn.js";
import type { AnyAsk, ModelConfig } from "../support/model.js";
import { chargedOf } from "./amounts.js";
import type { Exceeds, HeldItem, Of, Told } from "./steps.js";
import { idOf, type Account, type Hold } from "./world.js";
import { judgeLoosely, requireNever, takeFrom } from "./loosely.js";

const DAY_MS = 24 * 60 * 60 * 1000;

export function hold(turn: Turn, told: Told<"hold">): void {
  const { of, count, answer } = told;
  const says = answer !== "exceeds" && answer.ok && answer.wouldDeny === true;
  const ask = { count, reserve: false };
  const granted = grant(turn, of, ask, answer, says);
  if (answer !== "exceeds" && answer.ok) keep(turn, told, answer.id, granted);
}

/** Remembers a hold that was granted. */
export function keep(
  turn: Turn,
  { of, expiresAfter }: HeldItem,
  id: string,
  granted: Pick<Hold, "taken" | "isUnsure">,
): void {
  const config = turn.limits[of.name]!;
  const isLease = config.kind === "concurrency";
  const to = turn.now + (isLease ? config.lease : (expiresAfter ?? DAY_MS));
  store(turn, id, { of, isLease, ...granted, from: turn.now, to });
}

export function schedule(
  turn: Turn,
  { of, count, answer }: Told<"schedule">,
): void {
  const granted = grant(turn, of, { count, reserve: true }, answer, undefined);
  if (answer === "exceeds" || !answer.ok) return;
  const to = turn.now + answer.retryAfter + DAY_MS;
  const hold = { of, isLease: false, ...granted, from: turn.now, to };
  store(turn, answer.scheduledId, hold);
}

/** While a key is unlimited, a hold takes nothing, and settling it charges nothing. */
function store(turn: Turn, id: string, hold: Omit<Hold, "write">): void {
  const model = turn.model(hold.of);
  const { mode } = model.rule(turn.now);
  const taken = mode === "unlimited" ? undefined : hold.taken;
  if (taken !== undefined && !hold.isLease) model.noteHold(taken, turn.now);
  turn.world.holds.set(id, { ...hold, taken, write: model.writes });
}

/** Judges the answer to `hold` or `schedule`, and takes what was granted. */
export function grant(
  turn: Turn,
  of: Of,
  ask: AnyAsk,
  answer: { ok: boolean; retryAfter?: number } | Exceeds,
  says: boolean | undefined,
): Pick<Hold, "taken" | "isUnsure"> {
  const { now } = turn;
  const model = turn.model(of);
  if (!turn.isExact(of)) {
    if (answer === "exceeds") {
      requireNever(turn, model, [ask]);
      return toTaken(ask, [0]);
    }
    const { mode, enforce } = model.rule(now);
    const isHeldBack = enforce || mode === "unlimited";
    const known = isHeldBack ? (says ?? false) : says;
    const taken = judgeLoosely(turn, of, [ask], answer, known);
    if (answer.ok) takeFrom(turn, of, taken);
    return toTaken(ask, taken);
  }
  const plan = model.plan([ask], now);
  if (plan === "exceeds" || answer === "exceeds") {
    turn.require(plan === answer, `should be ${show(plan)}`);
    return toTaken(ask, [0]);
  }
  turn.require(
    answer.ok === plan.ok &&
      (answer.retryAfter ?? 0) === (plan.retryAfter ?? 0),
    `should be ${show(plan)}`,
  );
  if (!plan.ok) return toTaken(ask, [0]);
  turn.note(of, plan.taken);
  const { model: changed } = turn.touch(of);
  const before = balance(changed, now);
  changed.follow(plan, now);
  turn.add(of, balance(changed, now) - before);
  return toTaken(ask, plan.taken);
}

export function end(
  turn: Turn,
  id: string,
  used: number,
  { settled, forgiven }: Partial<Told<"settle">["answer"]> = {},
): void {
  const { now } = turn;
  const hold = turn.world.holds.get(id);
  const isOver = hold === undefined || hold.to <= now;
  if (settled !== undefined)
    turn.require(settled === !isOver, `settled ${!isOver}`);
  if (isOver) return;
  turn.world.holds.delete(id);
  const { of, taken, isUnsure, isLease, write } = hold;
  const account = turn.touch(of);
  if (isLease || taken === undefined || taken === used) return;
  // A plan that has been replaced tells how deep charges may go, but not what there is.
  const charged =
    of.plan === undefined && !isUnsure
      ? chargedOf(turn, of, used - taken, forgiven)
      : used - taken - (forgiven ?? 0);
  if (of.plan !== undefined) {
    const config = turn.world.plans[of.plan]!;
    return correct(turn, account, charged, config, write);
  }
  const { mode } = account.model.rule(now);
  if (mode === "unlimited" && used > taken) return;
  if (isUnsure) {
    // The model did not count the hold, and tokens that arrived since may have filled its room.
    if (used < taken) turn.move(account, used - taken);
    return turn.blur(of);
  }
  if (used > taken) {
    turn.move(account, charged);
    turn.add(of, -charged);
    return;
  }
  giveBack(turn, account, write, taken - used);
}

/** Gives back what a hold did not use: less, where the rows have forgotten of it. */
function giveBack(
  turn: Turn,
  account: Account,
  write: number,
  unused: number,
): void {
  const { of, model } = account;
  if (turn.isSplit(of)) {
    // What was not written has changed nothing.
    if (turn.mayHaveWritten(of)) model.release(write, unused, turn.now);
    return turn.blur(of);
  }
  model.release(write, unused, turn.now);
  turn.written.add(idOf(of));
  if (model.holdsSinceFull > 8) account.isVague = true;
}

/** Settles a hold whose config came with its call. The key may have another rule by now. */
function correct(
  turn: Turn,
  account: Account,
  count: number,
  config: ModelConfig,
  write: number,
): void {
  const id = idOf(account.of);
  account.model.correct(count, turn.now, config, write);
  if (account.model.holdsSinceFull > 8) account.isVague = true;
  // A row may have room even though the model is full. If so, the call may write that row.
  const hasRoom = count < 0 && turn.roomy.has(id);
  if (hasRoom && turn.mayHaveWritten(account.of)) {
    account.model.countUntil(turn.now);
  }
  turn.written.add(id);
  turn.sums.set(id, undefined);
}

export function renew(turn: Turn, id: string, renewed: boolean): void {
  const { now } = turn;
  const hold = turn.world.holds.get(id);
  const isOver = hold === undefined || hold.to <= now;
  const others = [...turn.world.holds.values()].filter(
    (other) =>
      other !== hold &&
      other.isLease &&
      hold !== undefined &&
      idOf(other.of) === idOf(hold.of),
  );
  if (!renewed) {
    const isByClockBehind = others.some(
      ({ to, from }) => to > now && from > now,
    );
    return turn.require(
      isOver ||
        isByClockBehind ||
        others.some(
          ({ to }) =>
            to > now + (turn.limits[hold.of.name] as { lease: number }).lease,
        ),
      "it has not ended",
    );
  }
  turn.require(!isOver, "it had ended");
  const taker = others.find(({ from, to }) => from >= hold.to && to > now);
  turn.require(taker === undefined, "another has its place");
  const { lease } = turn.limits[hold.of.name] as { lease: number };
  const to = Math.max(hold.to, now + lease);
  turn.touch(hold.of);
  turn.world.holds.set(id, { ...hold, to });
}
/** What to remember of a hold. `taken` is undefined if a dry run let the hold through without taking tokens. */
export function toTaken(
  { count }: AnyAsk,
  taken: number[] | undefined,
): Pick<Hold, "taken" | "isUnsure"> {
  const isUnsure = taken === undefined;
  const [one] = taken ?? [count];
  const isNothing = one === 0 && count !== 0;
  return { taken: isNothing ? undefined : one, isUnsure };
}
