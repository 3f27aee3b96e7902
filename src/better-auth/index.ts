import type { BetterAuthRateLimitStorage } from "@better-auth/core";
import {
  isWriteConflictError,
  type LimitConfig,
  type MutationCtx,
  type QueryCtx,
  type RateLimiter,
  type RefillingConfig,
} from "../client/index.js";
import type { RefillingName } from "../client/types.js";

/** Which limit the storage takes from, and what a conflict comes to. */
export type RateLimitStorageOptions<Name extends string = string> = {
  /**
   * The limit that every request takes from, in place of Better Auth's rules for each path.
   * @default a fixed window by the request's own rule
   */
  name?: Name | undefined;
  /**
   * What a request is told whose call was lost to write conflicts. `"deny"`: that it may
   * come again in a second.
   * @default "deny"
   */
  onConflict?: "deny" | "allow" | undefined;
};

/** The longest key that a limit takes, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;

/**
 * A storage for the rate limiting of Better Auth, from version 1.7 on: one `limit` for each
 * request, so that requests at the same time cannot pass together.
 *
 * ```ts
 * betterAuth({
 *   rateLimit: { enabled: true, customStorage: rateLimitStorage(ctx, rateLimiter) },
 * });
 * ```
 *
 * By default a request takes one token of a fixed window with Better Auth's own rule for its
 * path: `max` tokens in each `window` of seconds, for each address and path. A key that is
 * longer than 1,024 bytes, since it holds the path that was asked for, is hashed.
 *
 * `@convex-dev/better-auth` 0.12.5 asks for a Better Auth below 1.7, whose storages are of
 * another form: with it this cannot be used yet.
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
): BetterAuthRateLimitStorage;
export function rateLimitStorage(
  ctx: QueryCtx,
  rateLimiter: RateLimiter<Record<string, LimitConfig>>,
  { name, onConflict = "deny" }: RateLimitStorageOptions = {},
): BetterAuthRateLimitStorage {
  return {
    consume: async (key, { window, max }) => {
      requireWritable(ctx);
      const retryIn = (ms: number) => ({
        allowed: false,
        retryAfter: Math.max(1, Math.ceil(ms / 1000)),
      });
      const period = window * 1000;
      // A limit must grant something.
      if (name === undefined && max < 1) return retryIn(period);
      const config: RefillingConfig | undefined =
        name === undefined
          ? { kind: "fixed window", rate: max, period }
          : undefined;
      const request = { key: await shortened(key), config };
      try {
        const status = await rateLimiter.limit(
          ctx,
          name ?? "betterAuth",
          request,
        );
        return status.ok
          ? { allowed: true, retryAfter: null }
          : retryIn(status.retryAfter);
      } catch (error) {
        if (!isWriteConflictError(error)) throw error;
        return onConflict === "allow"
          ? { allowed: true, retryAfter: null }
          : retryIn(1000);
      }
    },
  };
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
