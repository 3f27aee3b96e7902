import { TOLERANCE, near, type Turn } from "./turn.js";
import { UNITS } from "../model.js";
import { calculateRateLimit, type ListedKey } from "convex-rate-limiter";
import type { Of, ShownValue } from "./steps.js";
import { idOf } from "./world.js";

/** Each key that is in use, once. */
export function list(turn: Turn, listed: readonly ListedKey[]): void {
  if (turn.at === "commit") return;
  const byId = new Map<string, ListedKey>();
  for (const one of listed) {
    turn.require(!byId.has(idOf(one)), `${idOf(one)} comes twice`);
    byId.set(idOf(one), one);
  }
  for (const [id, { of }] of turn.world.accounts) {
    const one = byId.get(id);
    const model = turn.model(of);
    const { mode, capacity } = model.rule(turn.now);
    if (mode === "limited") {
      balance(turn, of, one?.balance ?? capacity / UNITS);
    }
    if (one === undefined) continue;
    turn.require(one.capacity === capacity / UNITS, `capacity of ${id}`);
    if (!turn.isExact(of)) continue;
    const plan = model.plan([{ count: 1, reserve: false }], turn.now);
    const isGranted = plan !== "exceeds" && plan.ok;
    turn.require(one.limited !== isGranted, `limited ${!isGranted}: ${id}`);
  }
}

export function value(turn: Turn, of: Of, told: ShownValue): void {
  if (turn.at === "commit") return;
  const { now } = turn;
  const model = turn.model(of);
  const { mode, capacity } = model.rule(now);
  const { value } = calculateRateLimit(told, told.config, now);
  if (mode === "banned") return turn.require(value === 0, "a ban");
  if (mode === "unlimited") {
    return turn.require(near(value, capacity / UNITS), "full");
  }
  balance(turn, of, value);
}

/** Of a limit that is in force. */
export function balance(turn: Turn, of: Of, value: number): void {
  const most = turn.most(of);
  if (turn.isExact(of))
    return turn.require(near(value, most), `balance ${most}, not ${value}`);
  turn.require(value <= most + TOLERANCE, `balance ${value} at most ${most}`);
  const sum = turn.isSplit(of) ? turn.sum(of) : undefined;
  if (sum === undefined || turn.written.has(idOf(of))) return;
  turn.require(near(value, sum), `balance ${sum}, not ${value}`);
}
