import { expect, test } from "vitest";
import { ours } from "../../bench/limiters.js";
import { callAll, value } from "../simulated.js";

const config = {
  kind: "fixed window",
  rate: 8,
  period: 60 * 60_000,
  start: 0,
  advice: false,
} as const;

test.each([
  ["of the rows of a split limit", { shards: 4 }],
  ["of what a limit that counts would answer", { stats: true }],
])(
  "a look %s that does not show the last commit denies nothing that is there",
  async (_, more) => {
    const limit = { name: "limit", config: { ...config, ...more } };
    const { app } = ours.served({ ...config, shards: 1 });
    const { answers } = await callAll(
      app,
      [
        { at: 0, name: "lib:rateLimit", args: { ...limit, count: 8 } },
        { at: 100, name: "lib:credit", args: { ...limit, count: 8 } },
        { at: 200, name: "lib:rateLimit", args: { ...limit, count: 5 } },
      ],
      { faults: { agedLooks: 1, lookAge: 1, dropped: 1 } },
    );
    expect(answers.map((answer) => value<object>(answer))).toMatchObject([
      { ok: true },
      { credited: 8 },
      { ok: true },
    ]);
  },
);

test("a look of the vacuum that does not show the last commit deletes no row in use", async () => {
  const limit = { name: "limit", config };
  const later = 4 * 60 * 60_000;
  const { app } = ours.served({ ...config, shards: 1 });
  const { answers } = await callAll(
    app,
    [
      { at: 0, name: "lib:rateLimit", args: { ...limit, count: 8 } },
      { at: later, name: "lib:rateLimit", args: { ...limit, count: 5 } },
      { at: later + 100, name: "vacuum:vacuum" },
      { at: later + 200, name: "lib:getValue", args: limit },
    ],
    { faults: { agedLooks: 1, lookAge: 1, dropped: 1 } },
  );
  expect(value<object>(answers.at(-1))).toMatchObject({ value: 3 });
});
