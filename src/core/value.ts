import {
  type Refill,
  firstWaitIn,
  partOf,
  project,
  timeOfArrival,
  continuousRefill,
  windowRefill,
} from "./bucket.js";
import type { LimitConfig, RateLimitConfig, ShownConfig } from "./config.js";
import { toleratedDeficit, toWhole, type ProjectableLimit } from "./limit.js";
import { sum } from "./sum.js";
import type { ShownPhase } from "./validators.js";

/** The result of `getValue`: the balance of a limit, and what a client needs to project it. */
export type GetValueReturns<Config extends ShownConfig = RateLimitConfig> = {
  /** Tokens at the time `ts`; negative for a debt, 0 while banned. */
  value: number;
  ts: number;
  /** The row that was read; for a split limit, the fullest. */
  shard: number;
  /** The whole limit's config, with the override applied. */
  config: Config;
  /**
   * What `value` and `ts` leave out: the rows of a split limit, leases, and current and scheduled
   * overrides. For `calculateRateLimit` and the hook.
   */
  phases?: ShownPhase[] | undefined;
};

/**
 * The arguments that a browser may send to the query of `hookAPI`. The server decides which of them
 * to accept.
 */
export type GetValueArgs = {
  /** The limit. A query of `hookAPI` refuses every name but its own. */
  name?: string | undefined;
  /** Whose balance to show. A query of `hookAPI` needs a `key` function to accept one. */
  key?: string | undefined;
  /**
   * How many random rows of a split limit to read; their sum is scaled up.
   * @default what `hookAPI` was given
   */
  sampleShards?: number | undefined;
  /** A query of `hookAPI` refuses every config. */
  config?: LimitConfig | undefined;
};

/** A phase that is ready to project. */
type ProjectablePhase = {
  effect: ShownPhase["effect"];
  limit: ProjectableLimit;
  /** `Infinity` for the last one. */
  until: number;
  /** The balance at a time `now`; its `ts` may be earlier, as the start of a window. */
  balanceAt: (now: number) => { value: number; ts: number };
};

/** The future of a limit if nobody uses it, as the server would decide. */
type Projection = {
  /** The phase at a time. */
  phaseAt: (now: number) => ProjectablePhase;
  /** The ms until a request would be granted: 0 for now, `Infinity` for never. */
  waitFor: (count: number, now: number) => number;
};

/**
 * @param value The result of `getValue`, or null for a limit that is full.
 * @param config A config that the server or the caller has checked.
 * @param exactRefill The exact windows of the calendar, if the caller knows them. By default, the
 * `starts` in `value`, and average periods after those.
 */
export function projectionOf(
  value: Pick<GetValueReturns<ShownConfig>, "value" | "ts" | "phases"> | null,
  config: ShownConfig,
  exactRefill?: Refill,
): Projection {
  const only = {
    effect: "limited" as const,
    // For a concurrency limit, the server always sends phases.
    config: config as ShownPhase["config"],
    shards: 1,
    rows: value === null ? [] : [value],
    starts: [],
  };
  const phases = (value?.phases ?? [only]).map((shown) =>
    toProjectablePhase(shown, exactRefill),
  );

  // The last phase has no end.
  const phaseAt = (now: number) =>
    phases.find(({ until }) => now < until) ?? phases.at(-1)!;

  const waitFor = (count: number, now: number) => {
    const current = phaseAt(now);
    if (wouldGrant(current, count, now)) return 0;
    return (
      firstWaitIn(
        phases,
        now,
        (phase, time) =>
          // A later phase that is not enforced grants everything.
          (phase !== current && !phase.limit.enforce) ||
          wouldGrant(phase, count, time),
        ({ limit, balanceAt }, from) => {
          const { value, ts } = balanceAt(from);
          return timeOfArrival(limit.whole, { ts }, count - value);
        },
      ) ?? Infinity
    );
  };

  return { phaseAt, waitFor };
}

function wouldGrant(
  { effect, limit, balanceAt }: ProjectablePhase,
  count: number,
  now: number,
): boolean {
  if (effect !== "limited") return effect === "unlimited";
  return balanceAt(now).value - count >= -toleratedDeficit(limit, count);
}

function toProjectablePhase(
  {
    effect,
    config,
    until = Infinity,
    shards,
    rows,
    fullFrom = Infinity,
    starts,
  }: ShownPhase,
  calendar: Refill | undefined,
): ProjectablePhase {
  // In the server's answers, windows have `start` or `starts`.
  const { kind, period, start } = config;
  const refill =
    kind === "token bucket"
      ? continuousRefill(period)
      : ((starts && calendar) ?? windowRefill(period, start ?? 0, starts));
  const enforce = config.enforce !== false;
  const limit = { ...toWhole(config, refill), enforce };
  const { whole } = limit;
  return {
    effect,
    limit,
    until,
    balanceAt: (now) => {
      // Leases do not refill: they end by the clock, even if it stepped back.
      const isHeld = config.rate === 0;
      const time = isHeld ? now : Math.max(now, ...rows.map(({ ts }) => ts));
      const full = project(whole, undefined, time);
      if (effect === "banned") return { ...full, value: 0 };
      const isFull = rows.length === 0 || now >= fullFrom;
      if (isFull || effect === "unlimited") return full;
      const states = rows.map((row) => {
        const { endsAt = Infinity, parts = shards } = row;
        if (time >= endsAt) return full;
        const own = row.starts && windowRefill(period, 0, row.starts);
        const bucket = partOf(whole, parts);
        return project({ ...bucket, refill: own ?? refill }, row, time);
      });
      // Negative for leases: each row includes the capacity, which must count only once.
      const absent = (shards - rows.length) * (whole.capacity / shards);
      return {
        value: sum([absent, ...states.map(({ value }) => value)]),
        ts: Math.max(...states.map(({ ts }) => ts)),
      };
    },
  };
}
