import { expect, test } from "vitest";
import { ours } from "../../bench/limiters.js";
import type { CallAnswer } from "../../sim/deployment.js";
import { callAll, value, type Called } from "../support/simulatedCalls.js";

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

/** A row is full at most a minute after its last use. */
const config = { kind: "token bucket", rate: 10, period: 60_000 };

const limit = (time: number, key: string): Called => ({
  time,
  name: "lib:rateLimit",
  args: { name: "x", key, config },
});
const vacuum = (time: number): Called => ({ time, name: "jobs:vacuum" });
const balance = (time: number, key: string): Called => ({
  time,
  name: "lib:getValue",
  args: { name: "x", key, config },
});

const deletions = (answer: CallAnswer | undefined) =>
  answer?.kind === "answered" ? answer.writes.length : undefined;

test("the vacuum never conflicts with calls on keys in use or on new keys", async () => {
  const time = 2 * HOUR_MS;
  const earlier = [
    ...Array.from({ length: 100 }, (_, i) => limit(i * 20, `idle ${i}`)),
    ...Array.from({ length: 100 }, (_, i) =>
      limit(time - 30 * SECOND_MS + i * 20, `used ${i}`),
    ),
  ];
  // Before, during and after the vacuum, which runs for 6 to 14 ms, as each call does.
  const beside = Array.from({ length: 100 }, (_, i) => [
    limit(time - 25 + i / 2, `used ${i}`),
    limit(time - 25 + i / 2, `new ${i}`),
  ]).flat();
  const calls = [...earlier, vacuum(time), ...beside];
  const { answers } = await callAll(ours, calls);
  const [swept, ...asked] = answers.slice(earlier.length);
  expect(deletions(swept)).toBe(100);
  expect(swept?.conflicts).toBe(0);
  expect(asked.map(({ conflicts }) => conflicts)).toEqual(beside.map(() => 0));
});

test("a call on a row that the vacuum is deleting loses no token", async () => {
  let met = 0;
  for (let offset = -24; offset <= 8; offset += 2) {
    const time = 2 * HOUR_MS;
    const { answers } = await callAll(ours, [
      limit(0, "idle"),
      vacuum(time),
      limit(time + offset, "idle"),
      balance(time + 1000, "idle"),
    ]);
    const both = answers.slice(1, 3);
    expect(both.map(({ kind }) => kind)).toEqual(["answered", "answered"]);
    // What the call took is not lost.
    expect(value(answers[3])).toMatchObject({ value: 9 });
    met += both.reduce((sum, { conflicts }) => sum + conflicts, 0);
  }
  expect(met).toBeGreaterThan(0);
});
