/** The longest wait between two renewals. */
const LONGEST_WAIT_MS = 60 * 60 * 1000;

/**
 * Runs `work`, and renews a lease until it is done: every quarter of the lease, so that two
 * attempts in a row may fail.
 *
 * @param renew Resolves to whether the lease was still running. If not, it is not called again.
 */
export async function renewing<Result>(
  work: () => Promise<Result>,
  lease: number,
  renew: () => Promise<boolean>,
): Promise<Result> {
  const waitMs = Math.min(lease / 4, LONGEST_WAIT_MS);
  let isDone = false;
  let wake: () => void = () => undefined;
  const renewals = async () => {
    for (let isHeld = true; isHeld && !isDone;) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      // A failed attempt may succeed next time, before the lease ends.
      if (!isDone) isHeld = await renew().catch(() => true);
    }
  };
  const renewed = renewals();
  try {
    return await work();
  } finally {
    isDone = true;
    wake();
    await renewed;
  }
}
