import type { Turn } from "./turn.js";
import { byPrecedence } from "../support/model.js";
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
  const stored = turn.world.overridesOf(name, key);
  const lasting = stored.filter((one) => one.isLasting).sort(byPrecedence);
  const ending = stored.filter((one) => !one.isLasting);
  const bans = ending.filter((one) => one.bans !== undefined);
  const isLasting = lasts === undefined;
  const added = { change, from, to, isLasting };
  // The one that lasts now does so until the one that is to last begins.
  const present = lasting.find((one) => one.from <= now);
  turn.world.overrides.set(
    idOf({ name, key }),
    isLasting
      ? [
          ...ending,
          added,
          ...(from > now && present ? [{ ...present, to: from }] : []),
        ]
      : [...bans, ...lasting, added],
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
