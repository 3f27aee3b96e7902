import type { Calls } from "./calls.js";
import { fail } from "./checks.js";
import type { MaybePromise } from "./inference.js";
import type { ActionCtx, WhileHoldingAllReturns } from "./types.js";

/** Holds while the work of an action runs, then releases what the work has not settled. */
export async function whileHolding<Result>(
  calls: Calls,
  ctx: ActionCtx,
  verb: string,
  list: Pick<ReturnType<Calls["holdAll"]>, "limits"> & {
    expiresAfter?: number | undefined;
  },
  work: ((ids: string[]) => MaybePromise<Result>) | null | undefined,
  throws: boolean | undefined,
): Promise<WhileHoldingAllReturns<Result>> {
  const { name } = list.limits[0]!;
  if (work === undefined || work === null) {
    fail(name, `${verb} needs the work to run, but got none.`);
  }
  if (!("runAction" in ctx)) {
    fail(name, `${verb} is for actions. In a mutation call hold and release.`);
  }
  const held = await calls.takeHolds(ctx, list, throws);
  if (!held.ok) {
    const { ok, retryAfter, blockedBy } = held;
    return { ok, retryAfter, blockedBy };
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
    async () => work(ids),
  );
  try {
    return { ok: true, result: await run() };
  } finally {
    await calls.release(ctx, ids);
  }
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
