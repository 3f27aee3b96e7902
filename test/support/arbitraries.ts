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

/**
 * One kind of step in a random run, for `fc.oneof`: what it is (one of these verbs), how often it comes, and its
 * other fields.
 */
export const step = <const Verb extends string, Fields = object>(
  verbs: Verb | readonly Verb[],
  weight: number,
  fields?: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) => {
  const verb = fc.constantFrom<Verb[]>(
    ...(typeof verbs === "string" ? [verbs] : verbs),
  );
  return { weight, arbitrary: fc.record({ verb, ...fields }) } as {
    weight: number;
    arbitrary: fc.Arbitrary<{ verb: Verb } & Fields>;
  };
};
