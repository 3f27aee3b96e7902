import { afterEach, describe, expect, test, vi } from "vitest";
import asynchronous from "../../bench/asynchronous.json" with { type: "json" };
import { readOptions } from "../../bench/options.js";
import scenarios from "../../bench/scenarios.json" with { type: "json" };

const near20 = async (...args: string[]) =>
  (await readOptions(["--only", "near20", ...args])).scenarios[0]![1];

afterEach(() => {
  vi.restoreAllMocks();
});

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
  "--asynchronously",
  "--seconds 5",
  "--long 0.02",
])("a run with %s is not the one that the charts show", async (flags) => {
  expect((await readOptions(flags.split(" "))).isWholeRun).toBe(false);
});

describe("a scenario", () => {
  test("gets one shard and a headroom from --asynchronously --headroom", async () => {
    const { config } = await near20("--asynchronously", "--headroom", "5");
    expect(config).toEqual({
      ...scenarios.near20.config,
      shards: 1,
      applyUpdates: "asynchronously",
      headroom: 5,
    });
  });

  test("has the faults of the flags beside its own", async () => {
    const args = "--scenarios bench/asynchronous.json --only overFaulty";
    const flags =
      "--dropped 0.5 --long 0.02 --scheduler-dead forever --delay-ms 5 --scheduled-after 7";
    const { scenarios } = await readOptions(`${args} ${flags}`.split(" "));
    expect(scenarios[0]![1]).toMatchObject({
      scheduledAfterMs: 7,
      faults: {
        ...asynchronous.overFaulty.faults,
        dropped: 0.5,
        long: 0.02,
        schedulerDeadSeconds: "forever",
        delayMs: 5,
      },
    });
  });

  test("is left out with a message if the headroom is its whole capacity", async () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => {});
    const args = ["--asynchronously", "--headroom", "20"];
    await expect(near20(...args)).rejects.toThrow("no scenario is left");
    expect(said).toHaveBeenCalledWith(expect.stringContaining("near20"));
  });
});

test.each([
  [["--seeds", "0"], "--seeds"],
  [["--seeds", "x"], "--seeds"],
  [["--headroom", "-1"], "--headroom"],
  [["--scheduler-dead", "soon"], "--scheduler-dead"],
  [["--only", "nothing"], "no scenario nothing"],
])("the flags %j are refused", async (args, expected) => {
  await expect(readOptions(["--asynchronously", ...args])).rejects.toThrow(
    expected,
  );
});
