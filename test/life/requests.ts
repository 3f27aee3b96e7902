import { TOLERANCE, balance, same, show, type Turn } from "./turn.js";
import type { ModelAnswer, Plan } from "../support/model.js";
import type { Asked, Exceeds, Of, Told } from "./steps.js";
import { judgeLoosely, requireNever, takeFrom } from "./loosely.js";

export function limitOrCheck(
  turn: Turn,
  { verb, of, ask, answer }: Told<"limit" | "check">,
): void {
  const takes = verb === "limit";
  const { now } = turn;
  const model = turn.model(of);
  const before = model.copy();
  if (turn.isExact(of)) {
    const asked = takes ? turn.touch(of).model : model.copy();
    noteExact(turn, of, asked.plan([ask], now));
    const wanted = asked.ask(ask, now);
    turn.require(sameAnswer(answer, wanted), `should be ${show(wanted)}`);
    if (answer === "exceeds") return;
    const details = asked.details(now);
    const { limit, remaining, resetAfter } = answer;
    const given = { limit, remaining, resetAfter };
    turn.require(same(given, details), `details ${show(details)}`);
    turn.add(of, balance(asked, now) - balance(before, now));
    return;
  }
  if (answer === "exceeds") return requireNever(turn, model, [ask]);
  const says = answer.ok && answer.wouldDeny === true;
  const taken = judgeLoosely(turn, of, [ask], answer, says);
  const [total = 0] = taken ?? [];
  const sum = taken && turn.sum(of);
  if (takes && answer.ok) takeFrom(turn, of, taken);
  if (model.mode(now) !== "limited") return;
  const least = before.copy();
  if (answer.ok) least.charge(total, now);
  const most = Math.max(0, Math.floor(balance(least, now) + TOLERANCE));
  turn.require(
    turn.stage === "commit" || answer.remaining <= most,
    `remaining is at most ${most}`,
  );
  if (sum === undefined || turn.stage === "commit") return;
  const left = answer.ok ? sum - total : sum;
  const remaining = [-TOLERANCE, TOLERANCE, 2 * TOLERANCE].map((error) =>
    Math.max(0, Math.floor(left + error)),
  );
  turn.require(remaining.includes(answer.remaining), `remaining of ${left}`);
}

export function noteExact(turn: Turn, of: Of, plan: Plan): void {
  if (plan !== "exceeds" && plan.ok) turn.note(of, plan.taken);
}
function sameAnswer(answer: Asked | Exceeds, wanted: ModelAnswer): boolean {
  if (answer === "exceeds" || wanted === "exceeds") return answer === wanted;
  const told = ({ ok, retryAfter, wouldDeny, taken }: Partial<Asked>) =>
    show({ ok, retryAfter, wouldDeny, taken });
  return told(answer) === told(wanted);
}
