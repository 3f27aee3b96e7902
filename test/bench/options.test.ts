import { expect, test } from "vitest";
import { LOADS } from "../../bench/load/scenarios.js";
import { readOptions } from "../../bench/options.js";
import scenarios from "../../bench/scenarios.json" with { type: "json" };

const read = (line: string) => readOptions(line.split(" "));
const FILE = "bench/scenarios.json";

test("a run without arguments is the table of all verbs", async () => {
  const {
    verbs,
    scenarios: fromFiles,
    json,
    safetyOnly,
  } = await readOptions([]);
  expect({ json, safetyOnly }).toEqual({ json: false, safetyOnly: false });
  expect(fromFiles).toEqual([]);
  expect(verbs?.selection).toEqual({ ...LOADS.verbs, rates: [40] });
});

test("a run of a file uses 8 seeds of its scenarios, without the table", async () => {
  const options = await read(FILE);
  expect(options).toMatchObject({ seeds: 8, verbs: undefined });
  expect(options.scenarios.map(([name]) => name)).toEqual(
    Object.keys(scenarios),
  );
  for (const [name, { config }] of options.scenarios) {
    expect(config).toEqual(scenarios[name as keyof typeof scenarios].config);
  }
});

test("one run can do both, and choose from each axis of the table", async () => {
  const options = await read(
    `verbs ${FILE} --verb settle --verb limit --place alone --way 10 --rate 5 --seconds 3 --seeds 2`,
  );
  expect(options.scenarios).toHaveLength(Object.keys(scenarios).length);
  expect(options.verbs).toEqual({
    selection: {
      verbs: ["settle", "limit"],
      places: ["alone"],
      supplies: LOADS.verbs!.supplies,
      ways: ["10"],
      rates: [5],
    },
    seconds: 3,
    seeds: 2,
  });
});

test("a scenario has the faults of the flags", async () => {
  const options = await read(
    `${FILE} --only near20 --dropped 0.5 --long 0.02 --scheduler-dead forever --delay-ms 5 --scheduled-after 7`,
  );
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
  ["--seeds 0", "--seeds"],
  ["--seeds x", "--seeds"],
  [`${FILE} --killed -1`, "--killed"],
  [`${FILE} --scheduler-dead soon`, "--scheduler-dead"],
  [`${FILE} --only nothing`, "no scenario nothing"],
  ["nothing", "ENOENT"],
])("the arguments %s are refused", async (line, expected) => {
  await expect(read(line)).rejects.toThrow(expected);
});
