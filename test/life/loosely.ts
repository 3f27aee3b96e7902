import { TOLERANCE, show, type Turn } from "./turn.js";
import type { AnyAsk, ModelRule } from "../support/model.js";
import { floorOf, Model, UNITS } from "../support/model.js";
import type { Of } from "./steps.js";
import { idOf } from "./world.js";

/**
 * Judges the answer of a limit whose balance is not known exactly. Returns what each request took; undefined if
 * a dry run does not say.
 *
 * @param says Whether a dry run says that it would deny; undefined if the answer may be about another limit.
 */
export function judgeLoosely(
  turn: Turn,
  of: Of,
  asks: readonly AnyAsk[],
  answer: { ok: boolean; taken?: number },
  says: boolean | undefined,
  isInList = false,
): number[] | undefined {
  const { now } = turn;
  const model = turn.model(of);
  const rule = model.rule(now);
  const { mode, enforce } = rule;
  const nothing = asks.map(() => 0);
  if (mode === "unlimited") {
    turn.require(answer.ok, "an unlimited key is denied");
    turn.require(says !== true, "an unlimited key would be denied");
    return nothing;
  }
  if (mode === "banned") {
    turn.require(!answer.ok, "a banned key is granted");
    return nothing;
  }
  turn.require(answer.ok || enforce, "a dry run denies");
  turn.require(says !== true || !enforce, "no dry run would deny");
  const taken = enforce
    ? asks.map((ask) => (ask.upTo && answer.ok ? answer.taken! : ask.count))
    : takenDry(turn, of, asks, says);
  if (taken === undefined || (!enforce && says !== false)) return taken;
  const isSplit = turn.isSplit(of);
  const sum = turn.sum(of);
  // A grant must fit the balance that the app showed before, and the model's balance at the commit.
  const bounds = [
    isSplit === (turn.stage === "commit") ? turn.most(of) : undefined,
    turn.stage === "snapshot" ? sum : undefined,
  ].filter((bound) => bound !== undefined);
  const fits = (bound: number, error: number) => {
    let left = bound;
    return asks.every((ask, i) => {
      left -= ask.upTo && !answer.ok ? 1 : taken[i]!;
      return left >= floorOf(rule, ask) / UNITS - error;
    });
  };
  if (answer.ok) {
    for (const bound of bounds) {
      turn.require(fits(bound, TOLERANCE), `granted of ${bound}`);
    }
    return taken;
  }
  if (sum === undefined || turn.stage === "commit" || isInList) return taken;
  const [{ leave = 0 }] = asks as [AnyAsk];
  if (asks.length > 1 || leave > 0 || !turn.mayBeBusy(of)) {
    turn.require(!fits(sum, -TOLERANCE), `denied of ${sum}`);
  }
  return taken;
}

/** What a dry run took. */
function takenDry(
  turn: Turn,
  of: Of,
  asks: readonly AnyAsk[],
  says: boolean | undefined,
): number[] | undefined {
  if (turn.stage === "commit") {
    return turn.taken.get(`${turn.place} ${idOf(of)}`);
  }
  const counts = asks.map(({ count }) => count);
  const nothing = counts.map(() => 0);
  const isWhole = says === false && asks.every(({ upTo }) => !upTo);
  const isNone = says === true && asks.length === 1;
  const told = isWhole ? counts : isNone ? nothing : undefined;
  const sum = turn.sum(of);
  if (sum === undefined) return turn.note(of, told);
  const rule = turn.model(of).rule(turn.now);
  const least = walk(rule, sum + TOLERANCE / 1000, asks);
  const most = walk(rule, sum + TOLERANCE, asks);
  if (show(least) !== show(most)) return turn.note(of, told);
  // A busy limit may refuse its last tokens.
  const [{ leave = 0 }] = asks as [AnyAsk];
  const mayRefuse = asks.length === 1 && leave === 0 && turn.mayBeBusy(of);
  if (mayRefuse && !least.isRefused && says !== false) {
    return turn.note(of, told);
  }
  turn.require(
    says === undefined || says === least.isRefused,
    `would deny ${least.isRefused} of ${sum}`,
  );
  return turn.note(of, least.taken);
}

export function takeFrom(
  turn: Turn,
  of: Of,
  taken: number[] | undefined,
): void {
  const account = turn.touch(of);
  if (taken === undefined) {
    // Write under the rule of this call, whatever override the same transaction sets later.
    if (turn.stored.has(idOf(of))) account.model.write(turn.now);
    return turn.blur(of);
  }
  const tokens = taken.reduce((sum, count) => sum + count, 0);
  if (tokens !== 0) turn.move(account, tokens);
  turn.add(of, -tokens);
}

/** Requires that a request can never be granted. With overrides that depends on the balance: all pass. */
export function requireNever(
  turn: Turn,
  model: Model,
  asks: readonly AnyAsk[],
): void {
  if (model.keyOverrides.length + model.limitOverrides.length > 0) return;
  const full = new Model(model.config);
  turn.require(full.plan(asks, turn.now) === "exceeds", "can be granted");
}
/** What a dry run takes from a balance, one request after the other. */
function walk(
  rule: ModelRule,
  balance: number,
  asks: readonly AnyAsk[],
): { taken: number[]; isRefused: boolean } {
  let left = balance;
  let isRefused = false;
  const taken = asks.map((ask) => {
    const { count, upTo } = ask;
    const floor = floorOf(rule, ask) / UNITS;
    const whole = Math.min(Math.floor(count), Math.floor(left - floor));
    const amount = upTo ? Math.max(1, whole) : count;
    if (left - amount < floor) {
      isRefused = true;
      return 0;
    }
    left -= amount;
    return amount;
  });
  return { taken, isRefused };
}
