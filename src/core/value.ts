import type { LimitConfig, RateLimitConfig } from "./config.js";
import { total, holdings, type Row } from "./rows.js";
import { capacityOf, toLimit } from "./limit.js";
import type { Rule, Rules } from "./rules.js";

/** The answer of `getValue`: what a limit holds, and what it takes to project that. */
export type GetValueReturns<Config extends LimitConfig = RateLimitConfig> = {
  /** Tokens at the time `ts`, negative for a debt. 0 under a ban. */
  value: number;
  ts: number;
  /** The row that was read; of a limit that is split, the fullest. */
  shard: number;
  /** The whole limit's config, with what an override changes. */
  config: Config;
  /** What is stored, where `value` and `ts` do not say all: of a split limit, for example. */
  rows?: Row[];
  /** What holds and what is known to follow, where an override has a part in it. */
  rules?: {
    effect: Rule["effect"];
    config: Config;
    /** Absent for the last one. */
    until?: number;
  }[];
};

/**
 * What a client knows of a limit: what is stored, and what holds from a time on.
 *
 * @param value Its config has been checked: on the server, or by the caller.
 */
export function projectionOf(
  value: Pick<GetValueReturns<LimitConfig>, "value" | "ts" | "rows" | "rules">,
  config: LimitConfig,
  at: number,
): { rules: Rules; rows: Row[] } {
  const rows = value.rows ?? [{ shard: 0, value: value.value, ts: value.ts }];
  const shards = rows[0]?.of ?? 1;
  const toRule = (
    effect: Rule["effect"],
    config: LimitConfig,
    until: number = Infinity,
  ): Rule => ({
    effect,
    limit: toLimit("", config, {
      shards,
      usualCapacity: capacityOf(config),
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
  config?: LimitConfig | undefined;
};
