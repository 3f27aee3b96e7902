import { expect, test } from "vitest";
import { ours } from "../../bench/limiters.js";
import { callAll, value, type Called } from "../support/simulatedCalls.js";

const HOUR = 60 * 60_000;
const EPOCH_MS = Date.UTC(2026, 0, 1);

const config = {
  kind: "fixed window",
  rate: 8,
  period: HOUR,
  start: 0,
  advice: false,
} as const;

/** A call, and what it returns. */
type Step = [
  time: number,
  name: string,
  args: Record<string, unknown> | undefined,
  answer: unknown,
];

/** Uses up a limit, fills it again, and takes from it. */
const refilled = (more: object): Step[] => {
  const limit = { name: "limit", config: { ...config, ...more } };
  return [
    [0, "lib:rateLimit", { ...limit, count: 8 }, { ok: true }],
    [100, "verbs:credit", { ...limit, count: 8 }, { credited: 8 }],
    [200, "lib:rateLimit", { ...limit, count: 5 }, { ok: true }],
  ];
};

/** Uses up a limit, forgets its key, and asks for its value. */
const ada = { name: "limit", key: "ada", config };
const forgotten: Step[] = [
  [0, "lib:rateLimit", { ...ada, count: 8 }, { ok: true }],
  [100, "operators:forget", { key: "ada" }, { isDone: true, bans: [] }],
  [200, "lib:getValue", ada, { value: 8 }],
];

/** Denies a key, does more, and forgets the key. Asks which keys were denied before and after that. */
const deniedAndForgotten = (...more: Step[]): Step[] => {
  const limit = { name: "limit", config: { ...config, stats: true } };
  const ada = { ...limit, key: "ada" };
  const range = { name: "limit", from: EPOCH_MS, to: EPOCH_MS + 1 };
  return [
    [0, "lib:rateLimit", { ...ada, count: 8 }, { ok: true }],
    [100, "lib:rateLimit", { ...ada, count: 1 }, { ok: false }],
    [200, "lib:rateLimit", { ...limit, key: "bob", count: 8 }, { ok: true }],
    [300, "lib:rateLimit", { ...ada, count: 1 }, { ok: false }],
    ...more,
    [500, "operators:topDenied", range, [{ key: "ada", denied: 2 }]],
    [600, "operators:forget", { key: "ada" }, { isDone: true, bans: [] }],
    [700, "operators:topDenied", range, []],
  ];
};

const one = { name: "limit", config };

test.each<[string, Step[]]>([
  ["a split limit grants what was credited", refilled({ shards: 4 })],
  ["a limit with stats grants what was credited", refilled({ stats: true })],
  [
    "the vacuum deletes no row in use",
    [
      [0, "lib:rateLimit", { ...one, count: 8 }, { ok: true }],
      [4 * HOUR, "lib:rateLimit", { ...one, count: 5 }, { ok: true }],
      [4 * HOUR + 100, "jobs:vacuum", undefined, null],
      [4 * HOUR + 200, "lib:getValue", one, { value: 3 }],
    ],
  ],
  ["forget deletes the rows of a key", forgotten],
  ["forget deletes the events of a key", deniedAndForgotten()],
  [
    "forget deletes the folded denials of a key",
    deniedAndForgotten([400, "jobs:fold", {}, null]),
  ],
])("even if looks miss the last commit, %s", async (_claim, steps) => {
  const calls = steps.map(([time, name, args]): Called =>
    args === undefined ? { time, name } : { time, name, args },
  );
  const { answers } = await callAll(ours, calls, {
    faults: { agedLooks: 1, lookAge: 1, dropped: 1 },
  });
  const expected = steps.map(([, , , answer]) => answer);
  expect(answers.map((answer) => value(answer))).toMatchObject(expected);
});
