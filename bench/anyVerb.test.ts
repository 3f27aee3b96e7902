import fc from "fast-check";
import { describe, test } from "vitest";
import { aLife, live, noTotals, type Shape } from "./life.js";

/** FC_TIMES=100 runs a hundred times as many; FC_MINUTES=60 runs for an hour instead. */
const times = Number(process.env.FC_TIMES ?? 1);
const minutes = Number(process.env.FC_MINUTES ?? 0);
const patience = { timeout: 30_000 * times + 1.5 * 60_000 * minutes };

describe("every verb, beside every other, answers for a state that some order of the transactions leads to", () => {
  test.each<Shape & { name: string }>([
    { name: "while clocks are right", clock: "right" },
    { name: "while clocks differ by some ms", clock: "jitter" },
    { name: "while clocks step", clock: "steps" },
  ])("$name", patience, async (shape) => {
    const totals = noTotals();
    await fc.assert(
      fc.asyncProperty(aLife(shape), (life) => live(life, totals)),
      minutes > 0
        ? {
            numRuns: Infinity,
            interruptAfterTimeLimit: (minutes * 60_000) / 3,
            markInterruptAsFailure: false,
          }
        : { numRuns: 60 * times },
    );
    if (times > 1 || minutes > 0) console.log(shape.name, totals);
  });
});
