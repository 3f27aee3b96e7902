import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** A source of uniform numbers in [0, 1). */
export type Random = () => number;

// The place in this list decides a stream's numbers, so add new streams at the end.
const STREAMS = [
  "arrivals",
  "counts",
  "execution",
  "backoff",
  "functions",
  "faults",
  "keys",
] as const;

/**
 * A seeded generator. Each stream has numbers of its own, so two limiters with the same seed meet
 * the same arrivals, however many numbers their code draws.
 */
export function seededRandom(
  seed: number,
  stream: (typeof STREAMS)[number],
): Random {
  const generator = xoroshiro128plus(seed);
  // A jump passes over 2^64 numbers: no stream reaches the next.
  for (let i = 0; i <= STREAMS.indexOf(stream); i++) generator.jump();
  return () => uniformFloat64(generator);
}

/** The gap to the next event of a Poisson process with `rate` events per unit of time. */
export function exponential(random: Random, rate: number): number {
  return -Math.log(1 - random()) / rate;
}
