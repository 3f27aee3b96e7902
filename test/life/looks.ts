import { PLAN, TOLERANCE, near, type Turn } from "./turn.js";
import { UNITS } from "../support/model.js";
import { calculateRateLimit, type ListedKey } from "convex-rate-limiter";
import type { Of, Told } from "./steps.js";
import { idOf } from "./world.js";

/** `list` shows each key in use once, with its balance. */
export function list(turn: Turn, listed: readonly ListedKey[]): void {
  if (turn.stage === "commit") return;
  const byId = new Map<string, ListedKey>();
  for (const one of listed) {
    turn.require(!byId.has(idOf(one)), `${idOf(one)} comes twice`);
    byId.set(idOf(one), one);
  }
  for (const [id, { of }] of turn.world.accounts) {
    const one = byId.get(id);
    // `list` has no config for plans.
    if (of.name === PLAN) continue;
    const model = turn.model(of);
    const { mode, capacity } = model.rule(turn.now);
    if (mode === "limited") {
      requireBalance(turn, of, one?.balance ?? capacity / UNITS);
    }
    if (one === undefined) continue;
    turn.require(one.capacity === capacity / UNITS, `capacity of ${id}`);
    if (!turn.isExact(of)) continue;
    const plan = model.plan([{ count: 1, reserve: false }], turn.now);
    const isGranted = plan !== "exceeds" && plan.ok;
    turn.require(one.limited !== isGranted, `limited ${!isGranted}: ${id}`);
  }
}

export function getValue(
  turn: Turn,
  { of, sampleShards, answer }: Told<"getValue">,
): void {
  if (turn.stage === "commit") return;
  const { now } = turn;
  const model = turn.model(of);
  const { mode, capacity } = model.rule(now);
  const { value } = calculateRateLimit(answer, answer.config, now);
  if (mode === "banned") return turn.require(value === 0, "a ban");
  if (mode === "unlimited") {
    return turn.require(near(value, capacity / UNITS), "full");
  }
  // A sample of the rows gives only an estimate.
  if (turn.isSplit(of) && sampleShards !== undefined) {
    return turn.require(value <= capacity / UNITS + TOLERANCE, "the capacity");
  }
  requireBalance(turn, of, value);
}

/** Requires that `value` fits the balance of a limit that is neither banned nor unlimited. */
function requireBalance(turn: Turn, of: Of, value: number): void {
  const most = turn.most(of);
  if (turn.isExact(of))
    return turn.require(near(value, most), `balance ${most}, not ${value}`);
  turn.require(value <= most + TOLERANCE, `balance ${value} at most ${most}`);
  const sum = turn.sum(of);
  if (sum === undefined || turn.written.has(idOf(of))) return;
  turn.require(near(value, sum), `balance ${sum}, not ${value}`);
}
