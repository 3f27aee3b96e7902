/** A source of uniform numbers in [0, 1). */
export type Random = () => number;

/**
 * A seeded generator (sfc32). Each label gives a stream of its own, so that two limiters under the same seed
 * meet the same arrivals, however many numbers their own code draws.
 */
export function seededRandom(seed: number, label: string): Random {
  let a = seed | 0;
  let b = hash(label);
  let c = 0x9e3779b9;
  let counter = 1;
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 16; i++) next();
  return next;
}

function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  }
  return h | 0;
}

/** The gap to the next event of a Poisson process with `rate` events per unit of time. */
export function exponential(random: Random, rate: number): number {
  return -Math.log(1 - random()) / rate;
}
