import fc from "fast-check";
import { isExceedsCapacityError } from "convex-rate-limiter";
import { register } from "convex-rate-limiter/test";
import { convexTest } from "convex-test";
import { expect, test } from "vitest";
import { api } from "../../demo/convex/_generated/api.js";
import type { PlaygroundConfig } from "../../demo/convex/playground.js";
import schema from "../../demo/convex/schema.js";
import { warningOf } from "../../demo/page/playground/warnings.js";

const modules = import.meta.glob("../../demo/convex/**/*.{ts,js}");
const bucket: PlaygroundConfig = {
  kind: "token bucket",
  rate: 10,
  period: 20_000,
};

test.each<[Partial<PlaygroundConfig>, number, boolean, string | undefined]>([
  [{}, 10, false, undefined],
  [{}, 11, false, "asks for 11 tokens, and 10 is the most"],
  [{}, 1000, true, undefined],
  [{ maxReserved: 5 }, 15, true, undefined],
  [{ maxReserved: 5 }, 16, true, "asks for 16 tokens, and 15 is the most"],
  [{ maxReserved: 0 }, 1, true, "nothing to reserve"],
  [{ capacity: 0 }, 1, false, "never holds a token"],
  [{ capacity: 0 }, 1, true, undefined],
  [{ capacity: 0.5 }, 1, false, "asks for 1 token, and 0.5 is the most"],
  [{ enforce: false }, 1, false, "nothing is denied"],
  [{}, 0, false, "takes nothing"],
])("of %o, count %d, reserve %s: %s", (changes, count, reserve, warning) => {
  const said = warningOf({ ...bucket, ...changes }, count, reserve);
  if (warning === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(warning);
});

const numbers = fc.constantFrom(0, 0.5, 1, 3, 10);

test("the code is said to throw always, when it does and only then", async () => {
  const t = convexTest(schema, modules);
  register(t);
  let sessions = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        capacity: fc.option(numbers, { nil: undefined }),
        maxReserved: fc.option(numbers, { nil: undefined }),
        enforce: fc.constantFrom(undefined, false),
      }),
      fc.constantFrom(0, 0.5, 1, 3, 10, 11, 20, 21),
      fc.boolean(),
      async (changes, count, reserve) => {
        const config = { ...bucket, ...changes };
        const session = `session-${sessions++}`;
        const error = await t
          .mutation(api.playground.limit, { session, config, count, reserve })
          .then(
            () => undefined,
            (error: unknown) => error,
          );
        const throws = warningOf(config, count, reserve)?.match(/throws/);
        expect(throws != null).toBe(isExceedsCapacityError(error));
      },
    ),
  );
});
