/** What a transaction does that takes time. */
export type Work = {
  /** Calls of functions: the transaction's own and nested ones, without looks. */
  calls: number;
  /** Modules that these calls and looks load. */
  modules: number;
  /** Looks: queries on a stale snapshot. */
  looks: number;
  /** Ranges read, with a dependency or without. */
  ranges: number;
  rowsWritten: number;
  /** Calls of `getTransactionMetrics`. */
  metrics: number;
};

/** How long each of these takes, in ms. */
export type Prices = Record<keyof Work, number>;

/**
 * Measured on the open-source backend of August 2026 (SQLite, two cores), one call at a time, by a
 * component made for it: what a call takes longer with one more of each. A call was of a function
 * whose module loads two others, so its own share is the 6.5 ms measured less three modules. It kept
 * nothing from call to call. A call that loads nothing is priced at its own share, and not for the
 * context that Convex does not have to make then, so it may be cheaper than simulated.
 */
export const MEASURED: Prices = {
  calls: 6.5 - 3 * 0.24,
  modules: 0.24,
  looks: 5.3 - 2 * 0.24,
  // Between .05 and .1.
  ranges: 0.075,
  // 1 for a row that is read and then written.
  rowsWritten: 0.925,
  metrics: 0.1,
};

export const FREE: Prices = {
  calls: 0,
  modules: 0,
  looks: 0,
  ranges: 0,
  rowsWritten: 0,
  metrics: 0,
};

/** On a machine on which a call of the other package takes about 10 ms. */
export const LOOKS_ONLY: Prices = { ...FREE, looks: 3 };

/** Prices of a machine on which everything takes `factor` times as long. */
export function scaled(prices: Prices, factor: number): Prices {
  const { calls, modules, looks, ranges, rowsWritten, metrics } = prices;
  return {
    calls: calls * factor,
    modules: modules * factor,
    looks: looks * factor,
    ranges: ranges * factor,
    rowsWritten: rowsWritten * factor,
    metrics: metrics * factor,
  };
}

export function timeOf(work: Work, prices: Prices): number {
  return (
    work.calls * prices.calls +
    work.modules * prices.modules +
    work.looks * prices.looks +
    work.ranges * prices.ranges +
    work.rowsWritten * prices.rowsWritten +
    work.metrics * prices.metrics
  );
}
