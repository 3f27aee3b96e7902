import type { RateLimitConfig } from "./config.js";

/** The answer of `getValue`: tokens at the time `ts`, negative for a debt. */
export type GetValueReturns = {
  value: number;
  ts: number;
  /** The row that was read; of a limit that is split, the fullest. */
  shard: number;
  /** The whole limit's config. */
  config: RateLimitConfig;
};

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
