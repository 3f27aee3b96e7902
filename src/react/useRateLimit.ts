import { useQuery } from "convex/react";
import type { FunctionReference } from "convex/server";
import { useMemo, useSyncExternalStore } from "react";
import type { ShownConfig } from "../core/config.js";
import type { GetValueArgs, GetValueReturns } from "../core/value.js";
import { createCheck } from "./check.js";
import {
  loading,
  rateLimitAt,
  type UseRateLimitResult,
} from "./rateLimitAt.js";
import { timedValue } from "./timedValue.js";
import { browserTiming } from "./timing.js";
import {
  useServerOffset,
  type GetServerTimeMutation,
} from "./useServerOffset.js";

/** The query `getRateLimit` of `hookAPI`. */
export type GetRateLimitValueQuery = FunctionReference<
  "query",
  "public",
  GetValueArgs,
  GetValueReturns<ShownConfig>
>;

/** The options of {@link useRateLimit}. */
export type UseRateLimitOptions = GetValueArgs & {
  /**
   * The tokens that the request will take, at least 0; fractions are legal. A count above the
   * capacity can never be granted: then `status` is `{ ok: false, retryAt: Infinity }`.
   * @default 1
   */
  count?: number | undefined;
  /**
   * `getServerTime` of `hookAPI`. Without it the hook assumes that the browser's clock is right,
   * and a countdown is wrong by as much as that clock.
   */
  getServerTimeMutation?: GetServerTimeMutation | undefined;
};

/**
 * Whether a request would be granted now, and if not, when. Use it to disable a button and enable
 * it again at the right moment. It only shows what the server would decide: the server must still
 * call `limit`.
 *
 * ```tsx
 * const { status, remaining } = useRateLimit(api.messages.getRateLimit, {
 *   getServerTimeMutation: api.messages.getServerTime,
 * });
 * const seconds = useRetryCountdown(status);
 * ```
 *
 * It subscribes to the query, which runs again after each grant for the key. For a limit that many
 * users share, every grant runs the query again for every viewer, and Convex counts each run as a
 * function call: viewers times grants.
 *
 * Renders again only when the server's answer, `status` or `remaining` changes: one timer is set,
 * for the next change. Refill alone changes `remaining` at most once a second. Everything is
 * `undefined` while loading, and on the server.
 *
 * @param getRateLimitQuery `getRateLimit`, as the app exports it from `hookAPI`. It reads every row
 * of the limit, or `sampleShards` of them.
 * @param options `key` and `sampleShards` are passed to that query, which may refuse them; a query
 * of `hookAPI` refuses every `config`, and every `name` but its own.
 * @throws What the query throws.
 */
export function useRateLimit(
  getRateLimitQuery: GetRateLimitValueQuery,
  options: UseRateLimitOptions = {},
): UseRateLimitResult {
  const { count = 1, getServerTimeMutation, ...args } = options;
  const { name, key, sampleShards, config } = args;
  const data = useQuery(getRateLimitQuery, { name, key, sampleShards, config });
  const offset = useServerOffset(getServerTimeMutation);
  const check = useMemo(
    () => createCheck(data, offset, browserTiming.now),
    [data, offset],
  );
  const store = useMemo(
    () =>
      timedValue<UseRateLimitResult>(browserTiming, (now, previous) =>
        rateLimitAt(check, count, now, previous),
      ),
    [check, count],
  );
  const onServer = useMemo(() => loading(check), [check]);
  return useSyncExternalStore(
    store.subscribe,
    store.getSnapshot,
    () => onServer,
  );
}
