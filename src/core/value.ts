import { listed, type Arrivals } from "./arrivals.js";
import type { RateLimitConfig, ShownConfig } from "./config.js";
import { total, holdings, type Row } from "./rows.js";
import { plainArrivals, toLimit } from "./limit.js";
import type { Rule, Rules } from "./rules.js";

/** The answer of `getValue`: what a limit holds, and what it takes to project that. */
export type GetValueReturns = {
  /** Tokens at the time `ts`, negative for a debt. 0 under a ban. */
  value: number;
  ts: number;
  /** The row that was read; of a limit that is split, the fullest. */
  shard: number;
  /** The whole limit's config, with what an override changes. */
  config: ShownConfig;
  /** What is stored, where `value` and `ts` do not say all: of a split limit, for example. */
  rows?: Row[];
  /** What holds and what is known to follow, where an override has a part in it. */
  rules?: {
    effect: Rule["effect"];
    config: ShownConfig;
    /** Absent for the last one. */
    until?: number;
  }[];
};

/**
 * What a client knows of a limit: what is stored, and what holds from a time on.
 *
 * @param value Its config has been checked: on the server, or by the caller.
 * @param arrivalsOf How tokens arrive by a config, by default as it is shown to clients.
 */
export function projectionOf(
  value: Pick<GetValueReturns, "value" | "ts" | "rows" | "rules">,
  config: ShownConfig,
  at: number,
  arrivalsOf: (config: ShownConfig) => Arrivals = shownArrivals,
): { rules: Rules; rows: Row[] } {
  const rows = value.rows ?? [{ shard: 0, value: value.value, ts: value.ts }];
  const shards = rows[0]?.of ?? 1;
  const toRule = (
    effect: Rule["effect"],
    config: ShownConfig,
    until: number = Infinity,
  ): Rule => ({
    effect,
    limit: toLimit("", config, {
      arrivals: arrivalsOf(config),
      shards,
      usualCapacity: config.capacity ?? config.rate,
    }),
    config,
    until,
  });
  const known = value.rules ?? [{ effect: "limited" as const, config }];
  const [first = known.at(-1)!, ...later] = known.filter(
    ({ until = Infinity }) => at < until,
  );
  return {
    rows,
    rules: [
      toRule(first.effect, first.config, first.until),
      ...later.map(({ effect, config, until }) =>
        toRule(effect, config, until),
      ),
    ],
  };
}

function shownArrivals(config: ShownConfig): Arrivals {
  return "windows" in config && config.windows !== undefined
    ? listed(config.windows)
    : plainArrivals("", config);
}

/** What a rule shows as the balance at a time, and the time at which it was right. */
export function balanceUnder(
  { effect, limit }: Rule,
  rows: readonly Row[],
  at: number,
): { value: number; ts: number } {
  const held = holdings(limit, rows, at);
  const ts = Math.max(...held.map((row) => row.ts));
  if (effect === "unlimited") return { value: limit.whole.capacity, ts };
  return { value: effect === "banned" ? 0 : total(held), ts };
}

/**
 * The arguments that a browser may send to the query of `hookAPI`; the server decides
 * what of it to accept.
 */
export type GetValueArgs = {
  name?: string | undefined;
  key?: string | undefined;
  sampleShards?: number | undefined;
  config?: RateLimitConfig | undefined;
};
