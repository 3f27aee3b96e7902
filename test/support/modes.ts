import type { RateLimitConfig } from "convex-rate-limiter";

/**
 * A limit in each mode, for tables of tests that hold in all of them. On a still clock no row splits
 * itself.
 */
export const modesOf = (
  config: RateLimitConfig,
): [mode: string, config: RateLimitConfig][] => {
  const { shards: _, ...rest } = config;
  return [
    ["one row", { ...rest, shards: 1 }],
    ["four rows", { ...rest, shards: 4 }],
    ["a limit that may split itself", { ...rest, shards: "auto" }],
  ];
};
