import { forgive, loosen, type Turn } from "./turn.js";
import type { RateLimitConfig } from "convex-rate-limiter";
import { isReplaced, type ModelOverride } from "../model.js";
import type { Of, OverrideStep, PenalizeStep } from "./steps.js";
import { idOf, isAppended, type Override } from "./world.js";

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
  // What is over by this clock goes, and is not back by one that is behind.
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
  if ("config" in change) widen(turn, { name, key }, change.config);
  forget(turn, { name, key });
}

/** Notes between which capacities a limit changes. Of one whose rate does, only what it holds at most. */
function widen(
  turn: Turn,
  { name, key }: Of,
  change: Partial<Pick<RateLimitConfig, "rate" | "period" | "capacity">>,
): void {
  for (const account of turn.world.accounts.values()) {
    const { config } = account.model;
    const isIts = key === undefined || account.of.key === key;
    if (config.kind === "concurrency") continue;
    if (account.of.name !== name || !isIts) continue;
    const usual = config.capacity ?? config.rate;
    const { rate, capacity = rate } = { ...config, ...change };
    const [least, most] = account.capacities ?? [usual, usual];
    const isSlower = change.rate !== undefined || change.period !== undefined;
    account.capacities = [
      isSlower ? 0 : Math.min(least, capacity),
      Math.max(most, capacity),
    ];
    if (isSlower) account.rateChanges++;
  }
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

/** A rule has changed: what rows hold by it is not known before they are seen. */
export function forget(turn: Turn, { name, key }: Of): void {
  for (const [id, { of }] of turn.world.accounts) {
    if (of.name !== name || (key !== undefined && of.key !== key)) continue;
    const account = turn.world.accounts.get(id)!;
    account.isOverridden = true;
    if (isAppended(turn.limits, of)) forgive(account);
    if (!turn.isSplit(of)) continue;
    turn.sums.set(id, undefined);
    // It begins, and ends.
    if (account.rateChanges > 0) account.rateChanges += 2;
    loosen(account);
  }
}
