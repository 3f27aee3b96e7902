import { near, PLAN, show, type Turn } from "./turn.js";
import { UNITS } from "../support/model.js";
import type { Of, Told } from "./steps.js";
import { idOf, type Hold } from "./world.js";

export function credit(
  turn: Turn,
  { of, count, answer }: Told<"credit">,
): void {
  const { now } = turn;
  const { credited } = answer;
  const account = turn.touch(of);
  const rule = account.model.rule(now);
  const { capacity } = rule;
  if (turn.isExact(of)) {
    const given = Math.max(0, account.model.credit(count, now));
    turn.require(near(credited, given), `credited ${given}`);
  } else if (credited > 0) {
    turn.move(account, -credited);
    // A row may have room even though the model is full. If so, the credit writes that row.
    if (turn.isSplit(of)) account.model.write(now);
  }
  const sum = turn.sum(of);
  if (sum !== undefined) {
    const room = Math.max(0, Math.min(count, capacity / UNITS - sum));
    if (turn.stage === "snapshot") {
      const isFair =
        near(credited, room) || (credited < room && mayLose(turn, of));
      turn.require(isFair, `credited ${room}`);
    }
    turn.add(of, credited);
  } else if (credited > 0) turn.written.add(idOf(of));
}

/** Whether what one row has no room for is lost, given back to a split limit. */
export function mayLose(turn: Turn, of: Of): boolean {
  return (
    turn.model(of).rule(turn.now).kind === "token bucket" && turn.mayBeBusy(of)
  );
}

export function charge(
  turn: Turn,
  { of, count, answer }: Told<"charge">,
): void {
  const { now } = turn;
  const account = turn.touch(of);
  const rule = account.model.rule(now);
  const taken = chargedOf(turn, of, count, answer.forgiven);
  const wanted = turn.move(account, taken);
  if (turn.isExact(of)) {
    turn.require(answer.retryAfter === wanted.retryAfter, `${show(wanted)}`);
  }
  if (rule.mode === "unlimited") return;
  turn.add(of, -taken);
  const sum = turn.sum(of);
  if (sum === undefined || turn.stage === "commit") return;
  // While calls overlap, a row tells when it is paid itself.
  if (turn.mayBeBusy(of)) return;
  turn.require(
    (answer.retryAfter !== undefined) === sum < 0,
    `a debt of ${-sum}`,
  );
}

/** Judges what a charge was forgiven, and returns what it took: of a settlement, below 0 if that gives back. */
export function chargedOf(
  turn: Turn,
  of: Of,
  count: number,
  forgiven: number = 0,
): number {
  const { now, stage } = turn;
  const model = turn.model(of);
  const { mode, maxDebt } = model.rule(now);
  if (mode === "unlimited" || count <= 0) {
    turn.require(forgiven === 0, "nothing is owed");
    return count;
  }
  const sum = stage === "snapshot" ? turn.sum(of) : undefined;
  const there = turn.isExact(of) ? model.balance(now) : sum;
  if (there === undefined) return count - forgiven;
  const most = Math.max(0, there + maxDebt / UNITS);
  const right = Math.max(0, count - most);
  // Rows that are busy may charge what an older look allows.
  const isFair =
    near(forgiven, right) || (forgiven === 0 && turn.mayBeBusy(of));
  turn.require(isFair, `forgave ${right}`);
  return count - forgiven;
}

export function reset(turn: Turn, of: Of): void {
  const { now } = turn;
  turn.touch(of);
  const isConcurrency = turn.limits[of.name]!.kind === "concurrency";
  for (const [id, hold] of turn.world.holds) {
    const isEnded = hold.isLease || !isConcurrency;
    const isOf = idOf(hold.of) === idOf(of);
    if (isOf && isEnded && hold.to > now) turn.world.holds.delete(id);
  }
  if (!isConcurrency) fill(turn, of);
}

/** Makes a limit full. */
function fill(turn: Turn, of: Of): void {
  const account = turn.touch(of);
  account.model.reset();
  account.isVague = false;
  turn.written.add(idOf(of));
  if (turn.isSplit(of)) {
    // The next call may have another plan, and with it another capacity.
    const isPlan = of.name === PLAN;
    const full = account.model.rule(turn.now).capacity / UNITS;
    turn.sums.set(idOf(of), isPlan ? undefined : full);
  }
}

/** Makes every limit full, except for what others have taken since the transaction began. */
export function clearAll(turn: Turn): void {
  for (const [id, account] of turn.world.accounts) {
    const { of } = account;
    if (turn.limits[of.name]!.kind === "concurrency") continue;
    const isKept = !turn.isSame(id);
    if (isKept && !turn.isSplit(of)) continue;
    fill(turn, of);
    if (!isKept) continue;
    turn.blur(of);
    account.ahead = account.clock;
  }
  // It ends all holds that it saw, even if they are over by its clock.
  endSeen(turn, () => true);
}

/** Resets each key of a limit; those that are first used since the transaction began stay as they are. */
export function resetAll(turn: Turn, name: string, isDone: boolean): void {
  turn.require(isDone, "so few keys need no job");
  for (const [id, { of }] of turn.world.accounts) {
    if (of.name === name && turn.isSame(id)) fill(turn, of);
  }
  endSeen(turn, ({ of, to }) => of.name === name && to > turn.now);
}

/** Ends the holds that were there when the transaction began. */
function endSeen(turn: Turn, isEnded: (hold: Hold) => boolean): void {
  for (const [id, hold] of turn.world.holds) {
    const ended = `ended ${id}`;
    const isSeen = turn.stage === "snapshot" && isEnded(hold);
    if (isSeen) turn.taken.set(ended, undefined);
    if (turn.taken.has(ended)) turn.world.holds.delete(id);
  }
}
