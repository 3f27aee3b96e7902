import { calculateRateLimit, type ShownConfig } from "convex-rate-limiter";

/** What a limit held, from a time on. */
export type Segment = {
  from: number;
  value: number;
  ts: number;
  config: ShownConfig;
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
  }

  mark(mark: Mark): void {
    this.marks.push(mark);
    if (this.marks.length > MOST_KEPT) this.marks.shift();
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

  /** The corners of the balance's course between two times; it is straight between them. */
  curve(from: number, to: number): Point[] {
    return this.segments.flatMap((segment, i) => {
      const end = Math.min(to, this.segments[i + 1]?.from ?? to);
      const begin = Math.max(from, segment.from);
      return begin >= end ? [] : courseOf(segment, begin, end);
    });
  }
}

function project({ config, ...state }: Segment, time: number): number {
  return calculateRateLimit(state, config, time).value;
}

/** Windows that are drawn of one segment at most; by then it is full, or the lines are one blur. */
const MOST_WINDOWS = 300;

function courseOf(segment: Segment, begin: number, end: number): Point[] {
  const { value, ts, config } = segment;
  const { rate, period, capacity = rate } = config;
  const at = (time: number): Point => [time, project(segment, time)];
  if (config.kind === "token bucket") {
    const fullAt = ts + ((capacity - value) * period) / rate;
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
