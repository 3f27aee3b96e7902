import type { Calls, TargetOptions } from "./calls.js";
import { fail } from "./checks.js";
import type {
  ActionCtx,
  Blocked,
  HoldAllItem,
  HoldAllOptions,
  HoldOptions,
  WhileHoldingReturns,
} from "./types.js";

/** The arguments of `whileHolding` for a single limit. */
export type HoldOneArgs<Result> = [
  name: string,
  options: HoldOptions & TargetOptions,
  work: (held: { id: string }) => Result | Promise<Result>,
];

/** The arguments of `whileHolding` for a list. */
export type HoldAllArgs<Result> = [
  limits: readonly HoldAllItem[],
  work: (held: { ids: string[] }) => Result | Promise<Result>,
  options?: HoldAllOptions,
  ...none: never[],
];

/** Holds while the work of an action runs, then releases what the work has not settled. */
export async function whileHolding<Result>(
  calls: Calls,
  ctx: ActionCtx,
  args: HoldOneArgs<Result> | HoldAllArgs<Result>,
): Promise<WhileHoldingReturns<Result, false, Partial<Blocked>>> {
  const list = isOne(args)
    ? { limits: [calls.hold("whileHolding", args[0], args[1])] }
    : calls.holdAll("whileHolding", args[0], args[2]);
  const { name } = list.limits[0]!;
  const options = isOne(args) ? args[1] : args[2];
  const work = isOne(args) ? args[2] : args[1];
  if (work === undefined || work === null) {
    fail(name, "whileHolding needs the work to run, but got none.");
  }
  if (!("runAction" in ctx)) {
    fail(
      name,
      "whileHolding is for actions. In a mutation call hold and release.",
    );
  }
  const held = await calls.takeHolds(ctx, list, options?.throws);
  if (!held.ok) {
    const { ok, retryAfter, blockedBy } = held;
    return { ok, retryAfter, ...(!isOne(args) && { blockedBy }) };
  }
  const { ids } = held;
  const run = list.limits.reduce(
    (inner, { config }, i) =>
      config.kind === "concurrency"
        ? () =>
            runWithRenewals(inner, config.lease, async () => {
              const { renew } = calls.component.verbs;
              return (await ctx.runMutation(renew, { id: ids[i]! })).renewed;
            })
        : inner,
    async () => (isOne(args) ? args[2]({ id: ids[0]! }) : args[1]({ ids })),
  );
  try {
    return { ok: true, result: await run() };
  } finally {
    await calls.release(ctx, ids);
  }
}

function isOne<Result>(
  args: HoldOneArgs<Result> | HoldAllArgs<Result>,
): args is HoldOneArgs<Result> {
  return typeof args[0] === "string";
}

const MAX_WAIT_MS = 60 * 60 * 1000;

/**
 * Runs `work` and renews a lease until it is done: every quarter of the lease, so that two renewals
 * in a row may fail.
 *
 * @param renew Resolves to whether the lease was still running. After false it is not called again.
 */
async function runWithRenewals<Result>(
  work: () => Promise<Result>,
  lease: number,
  renew: () => Promise<boolean>,
): Promise<Result> {
  const waitMs = Math.min(lease / 4, MAX_WAIT_MS);
  let isDone = false;
  let wake: () => void = () => undefined;
  const renewUntilDone = async () => {
    for (let isHeld = true; isHeld && !isDone;) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      // If it fails, the next one may still come before the lease ends.
      if (!isDone) isHeld = await renew().catch(() => true);
    }
  };
  const renewed = renewUntilDone();
  try {
    return await work();
  } finally {
    isDone = true;
    wake();
    await renewed;
  }
}
