import type { Turn } from "./turn.js";
import { byPrecedence } from "../support/model.js";
import type { Of, Step, Told } from "./steps.js";
import { idOf, type Override } from "./world.js";

export function override(
  turn: Turn,
  { name, key, change, startsIn, lasts }: Step<"override">,
): void {
  const { now } = turn;
  const begin = now + (startsIn ?? 0);
  const from = startsIn === undefined ? -Infinity : begin;
  const to = lasts === undefined ? Infinity : begin + lasts;
  const stored = turn.world.overridesOf(name, key);
  const lasting = stored.filter((one) => one.isLasting).sort(byPrecedence);
  const bans = stored.filter((one) => one.bans !== undefined);
  const timed = stored.filter((one) => !one.isLasting && !bans.includes(one));
  timed.sort(byPrecedence);
  const isLasting = lasts === undefined;
  const added = { change, from, to, isLasting };
  // The present one of its sort applies until the new one begins, or until its own end.
  const [same, other] = isLasting ? [lasting, timed] : [timed, lasting];
  const ownEnd = ({ to, ownEnd = to }: Override) => ownEnd;
  // One that has begun has replaced those before it for good, even if it has ended since.
  const last = same.find((one) => one.from <= now);
  const until = last &&
    now < ownEnd(last) && {
      ...last,
      to: Math.min(ownEnd(last), from),
      ownEnd: ownEnd(last),
    };
  turn.world.overrides.set(idOf({ name, key }), [
    ...bans,
    ...other,
    added,
    ...(from > now && until ? [until] : []),
  ]);
  forget(turn, { name, key });
}

export function penalize(
  turn: Turn,
  { of, bans, forgetAfter, answer }: Told<"penalize">,
): void {
  const { now } = turn;
  const stored = turn.world.overridesOf(of.name, of.key);
  const last = stored.find((one) => one.bans !== undefined);
  const isRemembered = last !== undefined && now < last.forgetAt!;
  const before = isRemembered ? last.bans! : 0;
  const ban = bans[Math.min(before, bans.length - 1)]!;
  const to = Math.max(isRemembered ? last.to : now, now + ban);
  turn.require(answer.retryAfter === to - now, `until ${to - now}`);
  const one: Override = {
    change: { deny: true },
    from: now,
    to,
    bans: before + 1,
    forgetAt: to + forgetAfter,
  };
  turn.world.overrides.set(idOf(of), [
    one,
    ...stored.filter((other) => other !== last),
  ]);
  forget(turn, of);
}

/** After a change of rule, the balance of a split limit is unknown until an answer shows it. */
export function forget(turn: Turn, { name, key }: Of): void {
  for (const [id, { of }] of turn.world.accounts) {
    if (of.name !== name || (key !== undefined && of.key !== key)) continue;
    const account = turn.world.account(of);
    turn.noteRule(account);
    if (turn.isSplit(of)) turn.sums.set(id, undefined);
  }
}
