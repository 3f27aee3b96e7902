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

export type Point = [time: number, balance: number];

/** A browser knows of a call's time only that much. */
const SNAP_MS = 250;

/** How much of the past is kept. */
const MOST_KEPT = 500;

/** What a limit held and what was asked of it, since the page was opened. */
export class History {
  readonly segments: Segment[] = [];
  readonly marks: Mark[] = [];
  private readonly listeners = new Set<() => void>();
  private version = 0;

  readonly subscribe = (onChange: () => void): (() => void) => {
    this.listeners.add(onChange);
    return () => this.listeners.delete(onChange);
  };

  /** Another number after each change. */
  readonly getVersion = (): number => this.version;

  /** Notes what the server says that it holds. */
  hold(stored: Omit<Segment, "from">, now: number): void {
    const last = this.segments.at(-1);
    // A token bucket's ts is the moment of its last change; a window's is its start.
    const isMoment =
      stored.config.kind === "token bucket" &&
      (last === undefined || stored.ts > last.from) &&
      stored.ts <= now;
    const from =
      last === undefined
        ? Math.min(stored.ts, now)
        : isMoment
          ? stored.ts
          : now;
    this.segments.push({ ...stored, from });
    if (this.segments.length > MOST_KEPT) this.segments.shift();
    this.tell();
  }

  mark(mark: Mark): void {
    this.marks.push(mark);
    if (this.marks.length > MOST_KEPT) this.marks.shift();
    this.tell();
  }

  private tell(): void {
    this.version++;
    for (const listener of this.listeners) listener();
  }

  /** Where a call belongs on the curve: a grant at the change that it made. */
  pointOf({ at, outcome }: Mark): Point {
    const change = this.segments.findLast(
      ({ from }) => Math.abs(from - at) <= SNAP_MS,
    );
    const time = outcome === "granted" ? (change?.from ?? at) : at;
    const segment = this.segments.findLast(({ from }) => from <= time);
    return [time, segment === undefined ? 0 : project(segment, time)];
  }

  /** When nothing of all this is to be seen any more in a picture of the last `pastMs`. */
  restsAt(pastMs: number): number {
    const held = this.segments.at(-1);
    const ends = held === undefined ? [] : [held.from, timeWhenFull(held)];
    return Math.max(0, ...ends, this.marks.at(-1)?.at ?? 0) + pastMs;
  }

  /** The corners of the balance's course between two times; it is straight between them. */
  curve(from: number, to: number): Point[] {
    return this.segments.flatMap((segment, i) => {
      const end = Math.min(to, this.segments[i + 1]?.from ?? to);
      const begin = Math.max(from, segment.from);
      return begin >= end ? [] : courseOf(segment, begin, end);
    });
  }
}

/** From when on a limit is full, if nobody takes. Until then its balance changes. */
function timeWhenFull({ value, ts, config }: Segment): number {
  const { kind, rate, period, capacity = rate } = config;
  const periods = Math.max(0, capacity - value) / rate;
  return ts + (kind === "fixed window" ? Math.ceil(periods) : periods) * period;
}

function project({ config, ...state }: Segment, time: number): number {
  return calculateRateLimit(state, config, time).value;
}

/** Windows that are drawn of one segment at most; by then it is full, or the lines are one blur. */
const MOST_WINDOWS = 300;

function courseOf(segment: Segment, begin: number, end: number): Point[] {
  const { ts, config } = segment;
  const { rate, period, capacity = rate } = config;
  const at = (time: number): Point => [time, project(segment, time)];
  if (config.kind === "token bucket") {
    const fullAt = timeWhenFull(segment);
    return fullAt > begin && fullAt < end
      ? [at(begin), [fullAt, capacity], at(end)]
      : [at(begin), at(end)];
  }
  const points = [at(begin)];
  let window = ts + (Math.floor(Math.max(0, begin - ts) / period) + 1) * period;
  for (let i = 0; window < end && i < MOST_WINDOWS; i++, window += period) {
    const before = points.at(-1)![1];
    if (before >= capacity) break;
    points.push([window, before], at(window));
  }
  points.push([end, points.at(-1)![1]]);
  return points;
}
