import {
  useServerOffset,
  type GetServerTimeMutation,
} from "./useServerOffset.js";

/**
 * Converts a time of the server's clock, such as one that a mutation has stored, into one of the
 * browser's clock: what {@link useRetryCountdown} counts down to.
 *
 * ```tsx
 * const retryAt = useBrowserTime(letter.dueAt, {
 *   getServerTimeMutation: api.mail.getServerTime,
 * });
 * const seconds = useRetryCountdown({ ok: false, retryAt });
 * ```
 *
 * Uses the same measurement as {@link useRateLimit}. Until the first measurement, and on the
 * server, it returns the time unchanged.
 *
 * @param serverTime In ms since the epoch.
 * @param options `getServerTimeMutation`: `getServerTime` of `hookAPI`.
 * @returns In ms since the epoch.
 */
export function useBrowserTime(
  serverTime: number,
  { getServerTimeMutation }: { getServerTimeMutation: GetServerTimeMutation },
): number {
  return serverTime - useServerOffset(getServerTimeMutation);
}
