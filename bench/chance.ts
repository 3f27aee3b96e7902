/** A share of calls: how many of those that were sent failed. */
export type Share = { failed: number; sent: number };

/** How rarely chance alone may explain a figure that counts as more. */
const RARE = 0.01;

/** Whether calls fail more often than this share, and chance hardly explains it. */
export function exceeds({ failed, sent }: Share, bar: number): boolean {
  const expected = sent * bar;
  if (failed <= expected) return false;
  // Poisson: how likely so many failures are if exactly this share fails.
  let term = Math.exp(-expected);
  let below = 0;
  for (let k = 0; k < failed; k++) {
    below += term;
    term *= expected / (k + 1);
  }
  return 1 - below < RARE;
}

/** Whether calls fail more often than others, and chance hardly explains it. */
export function exceedsThose(share: Share, others: Share): boolean {
  const all = share.failed + others.failed;
  const part = share.sent / (share.sent + others.sent);
  if (share.failed <= all * part) return false;
  // Binomial: how likely so many of all failures fall on these calls if both fail alike.
  let logTerm = all * Math.log1p(-part);
  let below = 0;
  for (let k = 0; k < share.failed; k++) {
    below += Math.exp(logTerm);
    logTerm += Math.log(((all - k) / (k + 1)) * (part / (1 - part)));
  }
  return 1 - below < RARE;
}
