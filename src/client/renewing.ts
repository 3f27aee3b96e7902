const MAX_WAIT_MS = 60 * 60 * 1000;

/**
 * Runs `work` and renews a lease until it is done: every quarter of the lease, so that two renewals
 * in a row may fail.
 *
 * @param renew Resolves to whether the lease was still running. After false it is not called again.
 */
export async function runWithRenewals<Result>(
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
