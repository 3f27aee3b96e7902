import { calculateRateLimit, type RateLimitConfig } from "convex-rate-limiter";

/** What a limit held from a time on. */
export type Segment = {
  from: number;
  value: number;
  ts: number;
  config: RateLimitConfig;
};

/** A call, for the chart. */
export type Mark = {
  time: number;
  outcome: "granted" | "denied";
  count: number;
};

/** What a limit held and what was asked of it, since the page was opened. */
export type History = {
  segments: readonly Segment[];
  marks: readonly Mark[];
};

/** How exactly the browser knows when the server decided a call. */
const SNAP_MS = 250;

/** How many segments and marks are kept. */
const MAX_KEPT = 500;

/** Adds what the limit holds, as the server says. */
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
  return { segments: [...segments, segment].slice(-MAX_KEPT), marks };
}

/** Adds a call. */
export function withMark({ segments, marks }: History, mark: Mark): History {
  return { segments, marks: [...marks, mark].slice(-MAX_KEPT) };
}

/** What the limit held, or will hold if nobody takes. Undefined before the first segment. */
export function heldAt(
  { segments }: History,
  time: number,
): number | undefined {
  const segment = segments.findLast(({ from }) => from <= time);
  if (segment === undefined) return undefined;
  return calculateRateLimit(segment, segment.config, time).value;
}

/** Where a call belongs on the curve. A grant belongs to the change that it made. */
export function pointOf(
  history: History,
  { time: seenAt, outcome }: Mark,
): [time: number, balance: number] {
  const change = history.segments.findLast(
    ({ from }) => Math.abs(from - seenAt) <= SNAP_MS,
  );
  const time = outcome === "granted" ? (change?.from ?? seenAt) : seenAt;
  return [time, heldAt(history, time) ?? 0];
}

/** From when on a chart of the last `pastMs` no longer changes. */
export function restsAt({ segments, marks }: History, pastMs: number): number {
  const held = segments.at(-1);
  const fullAt = held === undefined ? 0 : fullTimeOf(held);
  return Math.max(0, fullAt, marks.at(-1)?.time ?? 0) + pastMs;
}

/** When the limit is full, if nobody takes. */
function fullTimeOf(held: Segment): number {
  const { from, config } = held;
  const all = config.capacity ?? config.rate;
  const { retryAfter = 0 } = calculateRateLimit(held, config, from, all);
  return from + retryAfter;
}
