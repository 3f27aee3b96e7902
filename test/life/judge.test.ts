import { describe, expect, test } from "vitest";
import { seededRandom } from "../../sim/random.js";
import {
  LIMIT,
  of,
  hold,
  credit,
  charge,
  schedule,
  limit,
  settle,
  look,
  lifeOf,
} from "./byHand.js";
import { live, noTotals } from "./life.js";
import type { Told } from "./steps.js";
import { Broken } from "./turn.js";

test.each([-1e-5, 0, 1e-5])(
  "a transaction that begins %s ms after a commit becomes visible is judged by what it saw",
  async (laterMs) => {
    const [seed, executionMs] = [1, 10];
    const runs = executionMs * (0.6 + 0.8 * seededRandom(seed, "execution")());
    const [staleQueryMs, visibleAfterMs] = [3, 5];
    const visible = runs + staleQueryMs + visibleAfterMs;
    const life = lifeOf(
      { one: LIMIT },
      [
        [0, limit(of, 0.25)],
        [visible + laterMs, look(of)],
      ],
      { executionMs, seed },
    );
    await live(life);
  },
);

const forgiving = (forgiven: number) => (told: Told) =>
  told.verb === "charge" ? { ...told.answer, forgiven } : {};

/** Wrong answers, and the verb whose answer each replaces. */
const wrong: [string, Told["verb"], (told: Told) => object][] = [
  ["a grant without tokens", "schedule", () => ({ ok: true, retryAfter: 0 })],
  ["a denial with tokens left", "hold", () => ({ ok: false, retryAfter: 1 })],
  ["a credit of a token too many", "credit", () => ({ credited: 2 })],
  ["a charge that hides its debt", "charge", () => ({ forgiven: 6 })],
  ["a charge that forgives too little", "charge", forgiving(5)],
  ["a settle that finds no hold", "settle", () => ({ settled: false })],
  [
    "a balance that is too high",
    "getValue",
    (told) => {
      if (told.verb !== "getValue") throw new Error("Not a balance.");
      const { phases = [], ...answer } = told.answer;
      const value = answer.value + 9;
      const rows = [{ value, ts: answer.ts }];
      // A split limit reports its balance in `phases`.
      const shown = phases.map((one) => ({ ...one, shards: 1, rows }));
      return { ...answer, value, ...(shown.length > 0 && { phases: shown }) };
    },
  ],
];

describe.each([
  ["one row", LIMIT],
  ["two rows", { ...LIMIT, shards: 2 }],
] as const)("the judge of a limit in %s", (_, config) => {
  const { name } = of;
  const life = lifeOf(
    { [name]: { ...config, rate: 4, maxReserved: 0 } },
    [
      [0, hold(of, 2)],
      [1000, settle(1)],
      [1000, credit(of, 3)],
      [1000, charge(of, 9)],
      [1000, schedule(of, 1)],
      [1000, look(of)],
    ],
    { alone: true },
  );

  test("accepts right answers", async () => {
    await live(life);
  });

  test.each(wrong)("refuses %s", async (_, verb, answer) => {
    let changed = 0;
    const falsify = (told: Told): Told => {
      if (told.verb !== verb || ("of" in told && told.of.key !== of.key)) {
        return told;
      }
      changed++;
      return { ...told, answer: answer(told) } as Told;
    };
    await expect(live(life, noTotals(), falsify)).rejects.toThrow(Broken);
    expect(changed).toBeGreaterThan(0);
  });
});
