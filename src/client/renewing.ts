/** No timer waits longer. */
const LONGEST_WAIT_MS = 60 * 60 * 1000;

/**
 * Runs work, and renews a lease again and again until it is done: every third of the lease,
 * so that two attempts in a row may fail.
 *
 * @param renew Says whether the lease still ran. If it did not, it is not asked again.
 */
export async function renewing<Result>(
  work: () => Promise<Result>,
  lease: number,
  renew: () => Promise<boolean>,
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let renewal: Promise<void> | undefined;
  let isDone = false;
  const renewLater = () => {
    timer = setTimeout(
      () => {
        renewal = renew()
          // What failed may succeed the next time, before the lease ends.
          .catch(() => true)
          .then((renewed) => {
            if (renewed && !isDone) renewLater();
          });
      },
      Math.min(lease / 3, LONGEST_WAIT_MS),
    );
  };
  renewLater();
  try {
    return await work();
  } finally {
    isDone = true;
    clearTimeout(timer);
    await renewal;
  }
}
