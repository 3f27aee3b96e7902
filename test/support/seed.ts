import fc from "fast-check";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { beforeEach } from "vitest";

// Each run is the same. To try other cases, run the suite with another seed:
// FC_SEED=$RANDOM npm test. A failure prints the seed that repeats it.
const seed = Number(process.env.FC_SEED ?? 1);

/** FC_TIMES=100 runs each property a hundred times as often, FC_TIMES=0.1 a tenth. */
export const times = Number(process.env.FC_TIMES ?? 1);

/** FC_MINUTES=5 runs what is random for five minutes. */
export const minutes = Number(process.env.FC_MINUTES ?? 0);

/** How often a property runs. */
export function runs(usually: number): { numRuns: number } {
  return { numRuns: Math.ceil(usually * times) };
}

// FC_SHRINK=no: report a failure without shrinking it, as mutation runs want.
fc.configureGlobal({
  seed,
  ...runs(100),
  endOnFailure: process.env.FC_SHRINK === "no",
});

/** From now on `Math.random` returns the numbers of this seed. */
export function seedRandom(seed: number): void {
  const generator = xoroshiro128plus(seed);
  Math.random = () => uniformFloat64(generator);
}

// Each test draws the same numbers, whichever tests ran before it.
beforeEach(() => seedRandom(seed));
