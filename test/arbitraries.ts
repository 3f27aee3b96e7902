import fc from "fast-check";

/** Quarters of a token, which floats and the model count exactly. */
export const quarters = (min: number, max: number) =>
  fc.integer({ min: min * 4, max: max * 4 }).map((n) => n / 4);

export const optional = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined });

/** True once in `n` times. */
export const rarely = (n: number) => fc.nat({ max: n - 1 }).map((i) => i === 1);

export const aKind = fc.constantFrom(
  "token bucket" as const,
  "fixed window" as const,
);
