import { expect, test } from "vitest";
import { readOptions } from "../../bench/options.js";
import scenarios from "../../bench/scenarios.json" with { type: "json" };

test("a run without flags uses 8 seeds of the published scenarios", async () => {
  const options = await readOptions([]);
  expect(options).toMatchObject({
    seeds: 8,
    json: false,
    safetyOnly: false,
    isWholeRun: true,
  });
  expect(options.scenarios.map(([name]) => name)).toEqual(
    Object.keys(scenarios),
  );
  for (const [name, { config }] of options.scenarios) {
    expect(config).toEqual(scenarios[name as keyof typeof scenarios].config);
  }
});

test.each([
  "--only near20",
  "--scenarios bench/wider.json",
  "--seconds 5",
  "--long 0.02",
])("a run with %s is not the one that the charts show", async (flags) => {
  expect((await readOptions(flags.split(" "))).isWholeRun).toBe(false);
});

test("a scenario has the faults of the flags", async () => {
  const flags =
    "--only near20 --dropped 0.5 --long 0.02 --scheduler-dead forever --delay-ms 5 --scheduled-after 7";
  const options = await readOptions(flags.split(" "));
  expect(options.scenarios[0]![1]).toMatchObject({
    scheduledAfterMs: 7,
    faults: {
      dropped: 0.5,
      long: 0.02,
      schedulerDeadSeconds: "forever",
      delayMs: 5,
    },
  });
});

test.each([
  [["--seeds", "0"], "--seeds"],
  [["--seeds", "x"], "--seeds"],
  [["--killed", "-1"], "--killed"],
  [["--scheduler-dead", "soon"], "--scheduler-dead"],
  [["--only", "nothing"], "no scenario nothing"],
])("the flags %j are refused", async (args, expected) => {
  await expect(readOptions(args)).rejects.toThrow(expected);
});
