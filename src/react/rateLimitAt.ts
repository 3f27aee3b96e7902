import { toleranceOf } from "../core/tolerance.js";
import type { Check, TimedCheck } from "./check.js";
import type { Moment } from "./timedValue.js";

/**
 * Whether a request would be granted now. If not, `retryAt` is when it would be, by the browser's
 * clock, in ms since the epoch. It is `Infinity` if never: the count is above the capacity or not a
 * number of at least 0, or the key is banned without end.
 */
export type RateLimitStatus =
  { ok: true; retryAt: undefined } | { ok: false; retryAt: number };

/** What `useRateLimit` returns. Stays the same object until one of its fields changes. */
export type UseRateLimitResult =
  | {
      /** `undefined` while loading. */
      status: undefined;
      remaining: undefined;
      check: Check;
    }
  | {
      /** Stays the same object until its content changes. */
      status: RateLimitStatus;
      /**
       * Whole tokens now: rounded down, never negative. If tokens arrive faster than one per
       * second, up to a second old.
       */
      remaining: number;
      /** Stays the same function until the server's answer or the clock's offset changes. */
      check: Check;
    };

/** While `remaining` rises, it is updated at most once in this time. */
const MIN_UPDATE_MS = 1000;

const OK: RateLimitStatus = { ok: true, retryAt: undefined };

/**
 * What the hook shows at `now`, and until when: until `status` changes, or `remaining` rises to the
 * next whole token, which is shown at most once a second.
 *
 * @param previous What it showed before; its objects are reused.
 */
export function rateLimitAt(
  check: TimedCheck,
  count: number,
  now: number,
  previous?: UseRateLimitResult,
): Moment<UseRateLimitResult> {
  const balance = check(now);
  if (balance === undefined) return { value: loading(check), until: Infinity };
  const retryAt = (wanted: number) => check(now, wanted)?.retryAt;

  const status = statusOf(
    // A dry run denies no valid count.
    balance.config.enforce === false && count >= 0 ? undefined : retryAt(count),
    previous?.status,
  );
  // A token that is short only by a rounding error counts as whole.
  const tolerance = toleranceOf(balance.config);
  const remaining = Math.max(0, Math.floor(balance.value + tolerance));
  const isSame =
    previous?.status === status && previous.remaining === remaining;
  return {
    value: isSame ? previous : { status, remaining, check },
    until: Math.min(
      status.retryAt ?? Infinity,
      check.phaseEnds?.(now) ?? Infinity,
      Math.max(retryAt(remaining + 1) ?? Infinity, now + MIN_UPDATE_MS),
    ),
  };
}

export function loading(check: Check): UseRateLimitResult {
  return { status: undefined, remaining: undefined, check };
}

function statusOf(
  retryAt: number | undefined,
  previous: RateLimitStatus | undefined,
): RateLimitStatus {
  if (retryAt === undefined) return OK;
  return previous?.retryAt === retryAt ? previous : { ok: false, retryAt };
}
