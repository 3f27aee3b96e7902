import {
  isWriteConflictError,
  type LimitConfig,
  type MutationCtx,
  type QueryCtx,
  type RateLimiter,
  type RateLimitReturns,
  type RefillingConfig,
} from "../client/index.js";
import type { RefillingName } from "../client/types.js";

/** Which limit the storage takes from, and what a conflict comes to. */
export type RateLimitStorageOptions<Name extends string = string> = {
  /**
   * The limit that every request takes from, in place of Better Auth's rules for each path.
   * @default the request's own rule decides
   */
  name?: Name | undefined;
  /**
   * What a request is told whose call was lost to write conflicts. `"deny"`: that it may
   * come again in a second.
   * @default "deny"
   */
  onConflict?: "deny" | "allow" | undefined;
};

/** A storage as Better Auth asks for it, from 1.6.17 on. */
export type RateLimitStorage = {
  /** Counts a request, unless its window has had `max` of them. `window` is in seconds. */
  consume: (
    key: string,
    rule: { window: number; max: number },
  ) => Promise<{ allowed: boolean; retryAfter: number | null }>;
  /** Always fails: only Better Auth before 1.6.17 calls it. */
  get: (key: string) => Promise<never>;
  /** Always fails: only Better Auth before 1.6.17 calls it. */
  set: (key: string, value: object, update?: boolean) => Promise<never>;
};

/** The limit that counts by the rules of the requests. */
const RULES = "betterAuth";

/** More requests than a key makes in one window. */
const COUNTED = 1_000_000_000;

/** The longest key that a limit takes, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;

/**
 * A storage for the rate limiting of Better Auth: one `limit` for each request, so that requests
 * at the same time cannot pass together. For Better Auth 1.6.17 and later, so also for
 * `@convex-dev/better-auth`. What came before asks a storage to `get` a count and to `set` it
 * afterwards, between which other requests pass: there each request fails.
 *
 * ```ts
 * betterAuth({
 *   rateLimit: { enabled: true, customStorage: rateLimitStorage(ctx, rateLimiter) },
 * });
 * ```
 *
 * By default it counts the requests of each address and path, and the rule that Better Auth
 * gives with a request decides: it is allowed if fewer than `max` were counted in the last
 * `window` seconds, from the first of them on. So another rule for a path holds at once. A `max`
 * of 0 allows none, a `window` of 0 all. A key that is longer than 1,024 bytes, since it holds
 * the path that was asked for, is hashed.
 *
 * Made anywhere, it can only be asked in an action or a mutation: Better Auth asks it in its
 * handler. Reads and writes what `limit` does.
 *
 * @throws When asked, as `limit` does; then Better Auth fails the request.
 */
export function rateLimitStorage<
  Limits extends Record<string, LimitConfig> = Record<never, never>,
>(
  ctx: QueryCtx,
  rateLimiter: RateLimiter<Limits>,
  options?: RateLimitStorageOptions<RefillingName<Limits> & string>,
): RateLimitStorage;
export function rateLimitStorage(
  ctx: QueryCtx,
  rateLimiter: RateLimiter<Record<string, LimitConfig>>,
  { name, onConflict = "deny" }: RateLimitStorageOptions = {},
): RateLimitStorage {
  const consume: RateLimitStorage["consume"] = async (asked, rule) => {
    requireWritable(ctx);
    const key = await shortened(asked);
    if (name !== undefined) {
      return answer(await rateLimiter.limit(ctx, name, { key }));
    }
    const period = Math.min(rule.window * 1000, Number.MAX_SAFE_INTEGER);
    if (!(period > 0)) {
      // The window has ended already, and with it what was counted.
      await rateLimiter.reset(ctx, RULES, { key, config: counting(1) });
      return ALLOWED;
    }
    if (rule.max <= 0) return deniedFor(period);
    const status = await rateLimiter.limit(ctx, RULES, {
      key,
      config: counting(period),
      leave: rule.max < COUNTED ? COUNTED - Math.ceil(rule.max) : 0,
    });
    return answer(status);
  };
  return {
    consume: async (key, rule) => {
      try {
        return await consume(key, rule);
      } catch (error) {
        if (!isWriteConflictError(error)) throw error;
        return onConflict === "allow" ? ALLOWED : deniedFor(1000);
      }
    },
    get: tooOld,
    set: tooOld,
  };
}

const ALLOWED = { allowed: true, retryAfter: null };

function deniedFor(ms: number) {
  return { allowed: false, retryAfter: Math.max(1, Math.ceil(ms / 1000)) };
}

function answer(status: RateLimitReturns) {
  return status.ok ? ALLOWED : deniedFor(status.retryAfter);
}

/**
 * A limit that only counts: a request then says how many tokens must remain, so that each can go
 * by a rule of its own. The window of a key that is not in use begins now.
 */
function counting(period: number): RefillingConfig {
  return {
    kind: "fixed window",
    rate: COUNTED,
    period,
    start: Date.now(),
  };
}

function tooOld(): Promise<never> {
  return Promise.reject(
    new Error(
      "rateLimitStorage: Better Auth before 1.6.17 lets requests at the same time pass together. Install 1.6.17 or later.",
    ),
  );
}

function requireWritable(ctx: QueryCtx): asserts ctx is MutationCtx {
  if ("runMutation" in ctx) return;
  throw new Error(
    "rateLimitStorage: a query cannot take tokens. Handle the request in an action.",
  );
}

async function shortened(key: string): Promise<string> {
  const bytes = new TextEncoder().encode(key);
  if (bytes.length <= MAX_KEY_BYTES) return key;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0"));
  return `sha-256:${hex.join("")}`;
}
