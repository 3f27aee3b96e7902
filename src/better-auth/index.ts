import {
  isWriteConflictError,
  type LimitConfig,
  type MutationCtx,
  type NamesBut,
  type QueryCtx,
  type RateLimiter,
  type RateLimitReturns,
  type RefillingConfig,
} from "../client/index.js";
import { checkOptions } from "../client/checks.js";
import { STORAGE_FIELDS } from "../client/options.js";

/** Which limit the storage takes from, and what happens after a write conflict. */
export type RateLimitStorageOptions<Name extends string = string> = {
  /**
   * The limit that every request takes from, instead of Better Auth's rule for each path.
   * @default the request's own rule applies
   */
  name?: Name | undefined;
  /**
   * What happens to a request whose call failed because of write conflicts. `"deny"`: it is denied,
   * and may be tried again in a second.
   * @default "deny"
   */
  onConflict?: "deny" | "allow" | undefined;
  /**
   * The `customRules` that Better Auth gets, so that a bad one fails when the storage is made. Better
   * Auth shows a storage a rule only when a request needs it. Rules that are functions, and those of
   * plugins, are checked only then.
   * @default each rule is checked when a request needs it
   */
  customRules?:
    | Readonly<Record<string, Rule | false | ((...args: never[]) => unknown)>>
    | undefined;
};

/** A rule of Better Auth: at most `max` requests in `window` seconds. */
type Rule = { window: number; max: number };

/** A storage with the functions that Better Auth calls, from 1.6.17 on. */
export type RateLimitStorage = {
  /** Counts a request, unless its window already has `max` of them. `window` is in seconds. */
  consume: (
    key: string,
    rule: Rule,
  ) => Promise<{ allowed: boolean; retryAfter: number | null }>;
  /** Always fails: only Better Auth before 1.6.17 calls it. */
  get: (key: string) => Promise<never>;
  /** Always fails: only Better Auth before 1.6.17 calls it. */
  set: (key: string, value: object, update?: boolean) => Promise<never>;
};

/** The limit from which requests take under their own rules. */
const RULES_LIMIT = "betterAuth";

/** More requests than a key can make in one window. */
const MAX_COUNTED = 1_000_000_000;

/** The longest key that a limit takes, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;

/**
 * A storage for the rate limiting of Better Auth. It makes one call of `limit` for each request, so
 * that concurrent requests cannot pass together. For Better Auth 1.6.17 and later, and so for
 * `@convex-dev/better-auth`. Earlier versions `get` a count and `set` it later, while other
 * requests pass; with them, every request fails.
 *
 * ```ts
 * betterAuth({
 *   rateLimit: { enabled: true, customStorage: rateLimitStorage(ctx, rateLimiter) },
 * });
 * ```
 *
 * By default it counts the requests of each address and path, and applies the rule that Better Auth
 * passes with each request: the request is allowed if fewer than `max` were counted in the current
 * window. Windows last `window` seconds and follow one another from the first request on, until
 * there is none for an hour. A changed rule for a path applies at once. A `max` of 0 allows no
 * request, and a `window` of 0 allows all. A key longer than 1,024 bytes is hashed, since it
 * contains the requested path, which can be long.
 *
 * You can create it anywhere, but it works only in an action or a mutation; Better Auth calls it in
 * its handler. Reads and writes what `limit` does.
 *
 * @throws An `Error` if the `window` or `max` of a rule is not a number of at least 0: now, for those
 * of `customRules`; when called, for any other, and as `limit` does. Better Auth then fails the
 * request.
 */
export function rateLimitStorage<
  Limits extends Record<string, LimitConfig> = Record<never, never>,
>(
  ctx: QueryCtx,
  rateLimiter: RateLimiter<Limits>,
  options?: RateLimitStorageOptions<NamesBut<Limits, "concurrency">>,
): RateLimitStorage;
export function rateLimitStorage(
  ctx: QueryCtx,
  rateLimiter: RateLimiter<Record<string, LimitConfig>>,
  options: RateLimitStorageOptions = {},
): RateLimitStorage {
  checkOptions("rateLimitStorage", STORAGE_FIELDS, options);
  const { name, onConflict = "deny", customRules = {} } = options;
  for (const [path, rule] of Object.entries(customRules)) {
    if (typeof rule === "object") requireRule(rule, `the rule "${path}"`);
  }
  const consume: RateLimitStorage["consume"] = async (fullKey, rule) => {
    requireWritable(ctx);
    const key = await hashIfLong(fullKey);
    if (name !== undefined) {
      return toAnswer(await rateLimiter.limit(ctx, name, { key }));
    }
    requireRule(rule, "a rule");
    const period = Math.min(rule.window * 1000, Number.MAX_SAFE_INTEGER);
    const config = countingConfig(period || 1);
    if (period === 0) {
      // A window of no length: nothing that was counted before matters.
      await rateLimiter.reset(ctx, RULES_LIMIT, { key, config });
      return ALLOWED;
    }
    if (rule.max <= 0) return deniedFor(period);
    const leave = Math.max(0, MAX_COUNTED - Math.ceil(rule.max));
    const options = { key, config, leave };
    return toAnswer(await rateLimiter.limit(ctx, RULES_LIMIT, options));
  };
  return {
    consume: (key, rule) =>
      consume(key, rule).catch((error: unknown) => {
        if (!isWriteConflictError(error)) throw error;
        return onConflict === "allow" ? ALLOWED : deniedFor(1000);
      }),
    get: rejectOldVersion,
    set: rejectOldVersion,
  };
}

/** @throws An `Error` for a rule that would let everything pass because it is not a number. */
function requireRule(rule: Rule, which: string): void {
  for (const field of ["window", "max"] as const) {
    // False for NaN and undefined, too.
    if (rule[field] >= 0) continue;
    throw new Error(
      `rateLimitStorage: the ${field} of ${which} must be a number of at least 0, but is ${rule[field]}. Check rateLimit and customRules in the options of betterAuth.`,
    );
  }
}

const ALLOWED = { allowed: true, retryAfter: null };

function deniedFor(ms: number) {
  return { allowed: false, retryAfter: Math.max(1, Math.ceil(ms / 1000)) };
}

function toAnswer(status: RateLimitReturns) {
  return status.ok ? ALLOWED : deniedFor(status.retryAfter);
}

/**
 * A limit that only counts: each request passes its own rule as the tokens that must remain. The
 * first window of a key begins now.
 */
function countingConfig(period: number): RefillingConfig {
  const start = Date.now();
  return { kind: "fixed window", rate: MAX_COUNTED, period, start };
}

async function rejectOldVersion(): Promise<never> {
  throw new Error(
    "rateLimitStorage: Better Auth before 1.6.17 lets requests at the same time pass together. Install 1.6.17 or later.",
  );
}

function requireWritable(ctx: QueryCtx): asserts ctx is MutationCtx {
  if ("runMutation" in ctx) return;
  throw new Error(
    "rateLimitStorage: a query cannot take tokens. Handle the request in an action.",
  );
}

async function hashIfLong(key: string): Promise<string> {
  const bytes = new TextEncoder().encode(key);
  if (bytes.length <= MAX_KEY_BYTES) return key;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0"));
  return `sha-256:${hex.join("")}`;
}
