import type { Turn } from "./turn.js";
import { isReplaced, type ModelOverride } from "../support/model.js";
import type { Of, OverrideStep, PenalizeStep } from "./steps.js";
import { idOf, type Override } from "./world.js";

export function override(
  turn: Turn,
  { name, key, change, startsIn, lasts }: OverrideStep,
): void {
  const { now } = turn;
  const begin = now + (startsIn ?? 0);
  const from = startsIn === undefined ? -Infinity : begin;
  const to = lasts === undefined ? Infinity : begin + lasts;
  const isComing = (one: ModelOverride) => one.from > now;
  const stored = turn.world.overridesOf(name, key);
  const begun = stored.filter((one) => !isComing(one));
  const since = Math.max(begin, ...begun.map((one) => one.since + 1 / 1024));
  const added: Override = { change, from, to, since };
  // An override that has ended by this clock is deleted. It stays deleted for calls whose clock is behind.
  const isOver = ({ to, forgetAt = to }: Override) => forgetAt <= now;
  const gives = (one: Override) =>
    isComing(one) === isComing(added) &&
    now < one.to &&
    (isComing(one) || one.bans !== undefined);
  const all = [added, ...stored.filter((one) => !gives(one))];
  const lasting = all.filter((one) => !isComing(one) && one.to === Infinity);
  const lowest = Math.max(-Infinity, ...lasting.map((one) => one.since));
  turn.world.overrides.set(
    idOf({ name, key }),
    all.filter(
      (one) =>
        !isOver(one) &&
        !isReplaced(one, all, now) &&
        (one.since >= lowest || one.bans !== undefined),
    ),
  );
  forget(turn, { name, key });
}

export function penalize(
  turn: Turn,
  { of, bans, forgetAfter }: PenalizeStep,
  answer: { retryAfter: number },
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
    since: now,
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
