import type { Life, Mutation } from "./life.js";
import type { Of, Step } from "./steps.js";

// Makes lives that are written by hand.

export const LIMIT = {
  kind: "token bucket",
  rate: 1,
  period: 60_000,
} as const;

export const of = { name: "one", key: "a" };

const BEGIN_MS = 10_000_000;

export const HOUR_MS = 60 * 60_000;

const ask = (count: number, reserve = false) => ({ count, reserve });

const counted =
  (verb: "hold" | "credit" | "charge" | "schedule") =>
  (of: Of, count: number): Step => ({ verb, of, count });
export const hold = counted("hold");
export const credit = counted("credit");
export const charge = counted("charge");
export const schedule = counted("schedule");
export const limit = (of: Of, count: number, reserve?: boolean): Step => ({
  verb: "limit",
  of,
  ask: ask(count, reserve),
});
/** Settles the newest hold. */
export const settle = (count: number): Step => ({
  verb: "settle",
  nth: 0,
  count,
});
export const release = (isLease: boolean): Step => ({
  verb: "release",
  nth: 0,
  isLease,
});
export const CANCEL: Step = { verb: "cancel", nth: 0 };
export const look = (of: Of): Step => ({ verb: "getValue", of });
export const LIST: Step = { verb: "list", order: "key" };
export const reset = (of: Of): Step => ({ verb: "reset", of });
export const CLEAR_ALL: Step = { verb: "clearAll" };

export const override = (
  of: Of,
  change: Step<"override">["change"],
  times: { startsIn?: number; lasts?: number } = {},
): Step => ({ verb: "override", ...of, change, ...times });

export const capacityOf = (
  of: Of,
  capacity: number,
  times?: { startsIn?: number; lasts?: number },
) => override(of, { config: { capacity } }, times);

export const limitAll = (
  ...items: [of: Of, count: number, reserve?: boolean][]
) =>
  ({
    verb: "limitAll",
    items: items.map(([of, ...asked]) => ({ of, ask: ask(...asked) })),
  }) satisfies Step;

export const holdAll = (...items: [of: Of, count: number][]): Step => ({
  verb: "holdAll",
  items: items.map(([of, count]) => ({ of, count })),
});

/** A mutation, called `after` ms after the previous one. */
export type Timed = [after: number, ...steps: Step[]];

export const mutation = ([after, ...steps]: Timed): Mutation => ({
  after,
  steps,
  throws: false,
});

/** A life without faults or clock errors. */
export const lifeOf = (
  limits: Life["limits"],
  mutations: (Timed | Mutation)[],
  more: Partial<Life> = {},
): Life => ({
  limits,
  mutations: mutations.map((one) => (Array.isArray(one) ? mutation(one) : one)),
  executionMs: 2,
  jitterMs: 0,
  clockSteps: [],
  faults: {},
  seed: 0,
  ...more,
});

/** Deploys these limits before mutation `before`. Every other one of the next `mixed` still runs the old version. */
export const deploy = (
  before: number,
  limits: Life["limits"],
  mixed?: number,
) => ({
  deploys: [{ before, limits, ...(mixed !== undefined && { mixed }) }],
});

/** From `afterMs` after the beginning, all clocks are off by `errorMs`. */
export const step = (afterMs: number, errorMs: number) => ({
  time: BEGIN_MS + afterMs,
  errorMs,
});
