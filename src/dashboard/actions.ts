import {
  checkOverride,
  requireCreditable,
  requireOnce,
  requireOverridable,
  requireShortString,
} from "../core/checks.js";
import { parseHoldId } from "../core/holdId.js";
import { DAY } from "../core/periods.js";
import { BadRequest, requireGood, type Ask, type Asked } from "./asked.js";
import { BANS, BANS_FORGOTTEN_AFTER } from "./bans.js";
import type { READS, Source } from "./reads.js";

export type Action = Exclude<Ask, keyof typeof READS>;

/** The result of an action. */
export type ActionResult = {
  /** When the stored override or ban ends, in ms since the epoch. */
  until?: number | undefined;
  /** How many tokens a change gave the key. */
  credited?: number;
  /** Whether the lease was released; false if it had ended. */
  released?: boolean;
  /** Whether all that was stored for the key is deleted; false if a job deletes the rest. */
  isForgotten?: boolean;
  /** Whether the limit is full for all keys; false if a job resets the rest. */
  isReset?: boolean;
  /** The limits in which bans of the forgotten key stay. */
  bannedIn?: string[];
};

/**
 * Carries out an action.
 *
 * @param operator The name that `authorize` returned.
 */
export async function act(
  { ctx, limiter, limits, now }: Source,
  asked: Asked<Action>,
  operator: string | undefined,
): Promise<ActionResult> {
  if (asked.ask === "forget") {
    const { key, bans } = asked;
    const forgotten = await limiter.forget(ctx, key, { bans });
    const bannedIn = new Set(forgotten.bans.map(({ name }) => name));
    return { isForgotten: forgotten.isDone, bannedIn: [...bannedIn] };
  }
  const { ask, limit: name } = asked;
  const config = limits[name]!;
  if (ask === "resetAll") {
    const { isDone } = await limiter.resetAll(ctx, name);
    return { isReset: isDone };
  }
  if (ask === "release") {
    const { id } = asked;
    if (config.kind !== "concurrency" || parseHoldId(id).name !== name) {
      throw new BadRequest(`${id} is not a lease of the limit "${name}".`);
    }
    const { settled } = await limiter.release(ctx, id);
    return { released: settled };
  }
  const { key } = asked;
  if (ask === "reset") {
    await limiter.reset(ctx, name, { key });
    return {};
  }
  if (config.overrides !== true) {
    throw new BadRequest(
      `Rate limit ${name}: overrides must be true in its config for an override to take effect.`,
    );
  }
  if (ask === "clear") {
    await limiter.clearOverride(ctx, name, { key });
    return {};
  }
  const { once } = asked;
  const note = signed(asked.note, operator);
  requireGood(() => {
    requireShortString(name, "key", key);
    requireShortString(name, "note", note);
    requireOnce(name, once);
  });
  if (ask === "penalize") {
    const { retryAfter } = await limiter.penalize(ctx, name, {
      key: asked.key,
      bans: BANS,
      forgetAfter: BANS_FORGOTTEN_AFTER,
      note,
      once,
    });
    return { until: now + retryAfter };
  }
  const { until: expiresAt } = asked;
  requireTime(expiresAt, now);
  const stored = { key, expiresAt, note, once };
  if (ask === "change") {
    const { rate, capacity, credit } = asked;
    if (rate === undefined && capacity === undefined) {
      throw new BadRequest("Give a rate, a capacity, or both.");
    }
    const override = { config: { rate, capacity } };
    requireGood(() => {
      requireOverridable(name, config, override.config);
      checkOverride(name, override.config);
      if (credit) requireCreditable({ name, key, override }, config);
    });
    const change = { ...stored, ...override, credit };
    const given = await limiter.setOverride(ctx, name, change);
    return { until: expiresAt, ...given };
  }
  const change = ask === "ban" ? BAN : UNLIMITED;
  await limiter.setOverride(ctx, name, { ...stored, ...change });
  return { until: expiresAt };
}

const BAN = { deny: true } as const;
const UNLIMITED = { unlimited: true } as const;

/** How long an override may last: a longer one belongs in the code. */
const MAX_OVERRIDE_MS = 10 * 366 * DAY;

function requireTime(until: number | undefined, now: number): void {
  if (until === undefined) return;
  if (until > now && until <= now + MAX_OVERRIDE_MS) return;
  throw new BadRequest(
    "until must be in the future, and at most ten years from now.",
  );
}

/** A note with the name of its author. */
function signed(
  note: string | undefined,
  operator: string | undefined,
): string | undefined {
  const author = operator === undefined ? undefined : `by ${operator}`;
  return [note?.trim(), author].filter(Boolean).join(" · ") || undefined;
}
