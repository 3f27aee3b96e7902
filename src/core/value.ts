import { trickle, windows, type Arrivals } from "./arrivals.js";
import { firstTime, LAST_MS, project, type State } from "./bucket.js";
import type { LimitConfig, RateLimitConfig, ShownConfig } from "./config.js";
import { forgiven, toProjectable, type ProjectableLimit } from "./limit.js";
import { sum } from "./rows.js";

/** What holds for a limit and key until a time, and what then is stored of it. */
export type Segment = {
  effect: "limited" | "banned" | "unlimited";
  /**
   * With what an override changes; of a concurrency limit a bucket that nothing
   * fills, and of windows of the calendar others, as long as those are on average.
   */
  config: RateLimitConfig;
  /** Absent for the last one. */
  until?: number | undefined;
  /** Over how many rows the limit is split. */
  shards: number;
  /**
   * The rows that say something; the others are full. Of a concurrency limit its
   * leases: what each alone would leave of the capacity.
   */
  rows: ShownState[];
  /** From when on all of them are full, under whatever config. */
  fullFrom?: number | undefined;
  /** When windows of the calendar start: that of the rows, and those after it. */
  starts?: number[] | undefined;
};

/**
 * What a row says, as a page projects it. What was written by another calendar has windows of
 * its own, which start at these times.
 */
export type ShownState = Omit<State, "nextAt"> & {
  starts?: number[] | undefined;
};

/** The answer of `getValue`: what a limit holds, and what it takes to project that. */
export type GetValueReturns<Config extends ShownConfig = RateLimitConfig> = {
  /** Tokens at the time `ts`, negative for a debt. 0 under a ban. */
  value: number;
  ts: number;
  /** The row that was read; of a limit that is split, the fullest. */
  shard: number;
  /** The whole limit's config, with what an override changes. */
  config: Config;
  /**
   * What `value` and `ts` do not say: the rows of a split limit, leases, and overrides that
   * hold or are known to. For `calculateRateLimit` and the hook.
   */
  segments?: Segment[] | undefined;
};

/**
 * The arguments that a browser may send to the query of `hookAPI`; the server decides
 * what of it to accept.
 */
export type GetValueArgs = {
  name?: string | undefined;
  key?: string | undefined;
  sampleShards?: number | undefined;
  config?: LimitConfig | undefined;
};

/** A segment, as it is projected. */
type Projected = {
  effect: Segment["effect"];
  limit: ProjectableLimit;
  /** `Infinity` for the last one. */
  until: number;
  /** The balance at a time, and the time at which it was right. */
  at: (now: number) => { value: number; ts: number };
};

/** What a limit will hold if nobody uses it, as the server will decide. */
export type Projection = {
  /** The segment that holds at a time. */
  at: (now: number) => Projected;
  /** In how many ms a request is granted: 0 if it is now, `Infinity` if never. */
  waitFor: (count: number, now: number) => number;
};

/**
 * @param value Null for a limit that is full. Its config has been checked: on the server, or by
 * the caller.
 * @param calendar How tokens arrive by the calendar, for a caller who knows that better than
 * by when some windows start.
 */
export function projectionOf(
  value: Pick<GetValueReturns<ShownConfig>, "value" | "ts" | "segments"> | null,
  config: ShownConfig,
  calendar?: Arrivals,
): Projection {
  const whole = {
    effect: "limited" as const,
    // Of a concurrency limit the server tells segments.
    config: config as RateLimitConfig,
    shards: 1,
    rows: value === null ? [] : [value],
    starts: [],
  };
  const segments = (value?.segments ?? [whole]).map((segment) =>
    toProjected(segment, calendar),
  );

  // The last one has no end.
  const at = (now: number) =>
    segments.find(({ until }) => now < until) ?? segments.at(-1)!;

  const waitFor = (count: number, now: number) => {
    const current = at(now);
    if (grants(current, count, now)) return 0;
    let from = now;
    for (const segment of segments) {
      const { limit, until } = segment;
      const { whole, headroom } = limit;
      const last = Math.min(Math.ceil(until) - 1, LAST_MS);
      // What follows and is not enforced grants everything.
      const isOpen = segment !== current && !limit.enforce;
      const begin = from;
      const { value, ts } = segment.at(begin);
      const { arrivals, rate } = whole;
      const wait = firstTime(
        (ms) => isOpen || grants(segment, count, begin + ms),
        arrivals.when(ts, count + headroom - value, rate) - begin,
        last - begin,
      );
      if (wait !== undefined) return begin + wait - now;
      from = Math.max(from, last);
    }
    return Infinity;
  };

  return { at, waitFor };
}

function grants(
  { effect, limit, at }: Projected,
  count: number,
  now: number,
): boolean {
  if (effect !== "limited") return effect === "unlimited";
  return at(now).value - count - limit.headroom >= -forgiven(limit, count);
}

function toProjected(
  {
    effect,
    config,
    until = Infinity,
    shards,
    rows,
    fullFrom = Infinity,
    starts,
  }: Segment,
  calendar: Arrivals | undefined,
): Projected {
  // The server has said when some window starts.
  const { kind, period, start } = config;
  const arrivals =
    kind === "token bucket"
      ? trickle(period)
      : ((starts && calendar) ?? windows(period, start ?? 0, starts));
  const limit = toProjectable(config, arrivals, shards);
  const { share, whole } = limit;
  return {
    effect,
    limit,
    until,
    at: (now) => {
      // Leases, which nothing fills, end by the clock, also by one that has stepped back.
      const isHeld = config.rate === 0;
      const time = isHeld ? now : Math.max(now, ...rows.map(({ ts }) => ts));
      const full = project(whole, undefined, time);
      if (effect === "banned") return { ...full, value: 0 };
      const isFull = rows.length === 0 || now >= fullFrom;
      if (isFull || effect === "unlimited") return full;
      const states = rows.map((row) => {
        const own = row.starts && windows(period, 0, row.starts);
        return project({ ...share, arrivals: own ?? arrivals }, row, time);
      });
      // Below 0 for leases, each of which counts the capacity: it is to be counted once.
      const absent = (shards - rows.length) * share.capacity;
      return {
        value: sum([absent, ...states.map(({ value }) => value)]),
        ts: Math.max(...states.map(({ ts }) => ts)),
      };
    },
  };
}
