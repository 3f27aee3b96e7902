/** A seed for {@link seeded}. Math.random has no seed of its own that another function could get. */
export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}

/** Random numbers that follow from a seed: a linear congruential generator. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
