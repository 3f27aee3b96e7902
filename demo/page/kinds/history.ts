import { calculateRateLimit, type RateLimitConfig } from "convex-rate-limiter";

/** What a limit held, from a time on. */
export type Segment = {
  from: number;
  value: number;
  ts: number;
  config: RateLimitConfig;
};

/** A call, for the chart. */
export type Mark = {
  at: number;
  outcome: "granted" | "denied";
  count: number;
};

/** What a limit held and what was asked of it, since the page was opened. */
export type History = {
  segments: readonly Segment[];
  marks: readonly Mark[];
};

/** A browser knows of a call's time only that much. */
const SNAP_MS = 250;

/** How much of the past is kept. */
const MOST_KEPT = 500;

/** Adds what the server says that the limit holds. */
export function withState(
  { segments, marks }: History,
  stored: Omit<Segment, "from">,
  now: number,
): History {
  const last = segments.at(-1);
  // A token bucket's ts is the moment of its last change; a window's is its start.
  const isMoment =
    last === undefined ||
    (stored.config.kind === "token bucket" && stored.ts > last.from);
  const from = isMoment ? Math.min(stored.ts, now) : now;
  const segment = { ...stored, from };
  return { segments: [...segments, segment].slice(-MOST_KEPT), marks };
}

/** Adds a call. */
export function withMark({ segments, marks }: History, mark: Mark): History {
  return { segments, marks: [...marks, mark].slice(-MOST_KEPT) };
}

/** What the limit held, or will hold if nobody takes. Undefined before anything was known. */
export function balanceAt(
  { segments }: History,
  time: number,
): number | undefined {
  const segment = segments.findLast(({ from }) => from <= time);
  if (segment === undefined) return undefined;
  return calculateRateLimit(segment, segment.config, time).value;
}

/** Where a call belongs on the curve: a grant at the change that it made. */
export function pointOf(
  history: History,
  { at, outcome }: Mark,
): [time: number, balance: number] {
  const change = history.segments.findLast(
    ({ from }) => Math.abs(from - at) <= SNAP_MS,
  );
  const time = outcome === "granted" ? (change?.from ?? at) : at;
  return [time, balanceAt(history, time) ?? 0];
}

/** When nothing of all this is to be seen any more in a picture of the last `pastMs`. */
export function restsAt({ segments, marks }: History, pastMs: number): number {
  const held = segments.at(-1);
  const fullAt = held === undefined ? 0 : timeWhenFull(held);
  return Math.max(0, fullAt, marks.at(-1)?.at ?? 0) + pastMs;
}

/** From when on a limit is full, if nobody takes. Until then its balance changes. */
function timeWhenFull(held: Segment): number {
  const { from, config } = held;
  const all = config.capacity ?? config.rate;
  const { retryAfter = 0 } = calculateRateLimit(held, config, from, all);
  return from + retryAfter;
}
