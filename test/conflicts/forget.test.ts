import { expect, test } from "vitest";
import { ours } from "../../bench/limiters.js";
import type { Answered } from "../../sim/deployment.js";
import { callAll, value, type Called } from "../support/simulatedCalls.js";

const hourly = {
  kind: "token bucket",
  rate: 100,
  period: 3_600_000,
  stats: true,
  advice: false,
} as const;

const take = (time: number, key: string, name = "one"): Called => ({
  time,
  name: "lib:rateLimit",
  args: { name, key, config: hourly, count: 10 },
});
const forget = (time: number): Called => ({
  time,
  name: "operators:forget",
  args: { key: "ada" },
});
const balance = (time: number): Called => ({
  time,
  name: "lib:getValue",
  args: { name: "one", key: "ada", config: hourly },
});

const conflictsOf = (answers: readonly unknown[]) =>
  answers.map((answer) => (answer as Answered).conflicts);

// Although it finds the limits of a key by the rows and events of all keys.
test("forget never conflicts with calls of other keys", async () => {
  const used = ["one", "other"].flatMap((name) => [
    take(0, "aaa", name),
    take(50, "ada", name),
  ]);
  const beside = Array.from({ length: 100 }, (_, i) => [
    take(475 + i / 2, `a${i % 10}`, "one"),
    take(475 + i / 2, "aaa", "other"),
  ]).flat();
  const { answers } = await callAll(ours, [...used, ...beside, forget(500)]);
  expect(value(answers.at(-1))).toEqual({ isDone: true, bans: [] });
  expect(conflictsOf(answers.slice(-1))).toEqual([0]);
});

test("forget deletes what a call takes while it runs", async () => {
  let met = 0;
  for (let offset = -24; offset <= 24; offset += 2) {
    const { answers } = await callAll(ours, [
      take(0, "ada"),
      forget(500),
      take(500 + offset, "ada"),
      balance(1000),
    ]);
    const [, forgotten, taken, left] = answers as Answered[];
    if (taken!.committedAt > forgotten!.committedAt) continue;
    met += forgotten!.conflicts;
    expect(value(left)).toMatchObject({ value: 100 });
  }
  expect(met).toBeGreaterThan(0);
});
