import fc from "fast-check";
import { expect, test } from "vitest";
import { live, noTotals } from "./life.js";
import { aLife, type Shape } from "./lives.js";
import { minutes, times } from "../support/seed.js";

/** FC_SEED sets the first seed. */
const firstSeed = Number(process.env.FC_SEED ?? 1);

const shapes: (Shape & { name: string })[] = [
  { name: "while clocks are right", clock: "right" },
  { name: "while clocks differ by some ms", clock: "jitter" },
  { name: "while clocks step", clock: "steps" },
  { name: "one at a time", clock: "right", alone: true },
  { name: "while rules change", clock: "right", alone: true, changes: true },
  { name: "while rows owe", clock: "right", owing: true },
  { name: "while rows owe and clocks step", clock: "steps", owing: true },
  {
    name: "while rows owe, seen late",
    clock: "right",
    looks: "aged",
    owing: true,
  },
  { name: "while tokens are scarce", clock: "right", scarce: true },
  { name: "by aged looks", clock: "right", looks: "aged" },
];

/** FC_LIFE=rules runs only the shapes with "rules" in their name. */
const chosen = shapes.filter(({ name }) =>
  name.includes(process.env.FC_LIFE ?? ""),
);

// The oracle is `Judge`: it keeps balances of its own, in the order of the commits.
test(
  "every answer of every verb fits a state that some order of the transactions leads to",
  { timeout: 120_000 * times + 2 * 60_000 * minutes },
  async () => {
    const totals = noTotals();
    const failures: string[] = [];
    const end = performance.now() + minutes * 60_000;
    const isMore = (batch: number) =>
      minutes > 0 ? performance.now() < end : batch < chosen.length * times;
    for (let batch = 0; isMore(batch); batch++) {
      const { name, ...shape } = chosen[batch % chosen.length]!;
      const property = fc.asyncProperty(aLife(shape), (life) =>
        live(life, totals),
      );
      const seed = firstSeed + batch;
      const details = await fc.check(property, {
        seed,
        // A life whose rows split and gather takes long to run.
        numRuns: minutes > 0 ? 10 : 1,
        // Shrinking some failures would never end.
        interruptAfterTimeLimit: 2 * 60_000,
      });
      if (!details.failed) continue;
      const { errorInstance } = details;
      failures.push(
        `${name}: ${String(errorInstance)}\n${fc.defaultReportMessage(details)}`,
      );
      // Print it now. Vitest would hold back console output until the test has failed.
      process.stdout.write(`${failures.at(-1)}\n`);
    }
    if (times > 1 || minutes > 0) {
      process.stdout.write(`${JSON.stringify(totals)}\n`);
    }
    expect(failures).toEqual([]);
  },
);
