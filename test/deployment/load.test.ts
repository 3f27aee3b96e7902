import { type EmbeddedServer, startEmbedded } from "convex-embedded";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  callOnce,
  connect,
  type Outcome,
  type Send,
} from "../../bench/load/call.js";
import { timeInTurns } from "../../bench/load/cost.js";
import { embeddedApp } from "../../bench/load/embeddedApp.js";
import { bindingsOf } from "../../bench/load/load.js";
import { bearable } from "../../bench/load/machine.js";
import {
  label,
  runLoads,
  type Run,
  type Setting,
} from "../../bench/load/run.js";
import {
  PLACES,
  scenariosOf,
  TIMED,
  VERBS,
  type Selection,
} from "../../bench/load/scenarios.js";

// Tests the command itself, always on the embedded server: no deployment is loaded, whatever CONVEX_URL is.
let server: EmbeddedServer;
let send: Send;
beforeAll(async () => {
  server = await startEmbedded({ app: embeddedApp, port: 0 });
  send = connect(server.url);
});
afterAll(() => server.close());

const kind = "token bucket";
const quick: Selection = {
  verbs: ["limit"],
  places: ["alone"],
  supplies: ["healthy"],
  ways: ["default"],
  rates: [20],
};

async function runAll(
  selection: Partial<Selection>,
  seconds = 1,
): Promise<Run[]> {
  const setting: Setting = {
    seconds,
    kind,
    seed: 1,
    workCallMs: 10,
    levelMs: 5,
    alone: 1,
    progress: () => {},
  };
  const runs: Run[] = [];
  const all = { ...quick, ...selection };
  for await (const run of runLoads(send, "x", all, setting)) runs.push(run);
  return runs;
}

test.each(Object.keys(VERBS))(
  "each mutation of %s is granted, whatever else it does and whoever keeps the limit",
  async (verb) => {
    const places = Object.keys(PLACES);
    const ways = ["default", "10", "incumbent 10", "by hand"];
    const all = { ...quick, verbs: [verb], places, ways };
    for (const scenario of scenariosOf(all, { seconds: 1, kind })) {
      const name = crypto.randomUUID();
      const bindings = bindingsOf(scenario, name, 0, 10);
      const { limiter, mutations } = scenario;
      const taken: [Outcome["kind"], number][] = [];
      await callOnce(send, { limiter, mutations }, bindings, (_, outcome) => {
        const { answers = [] } = "answers" in outcome ? outcome : {};
        taken.push([outcome.kind, answers.length]);
      });
      expect(taken, label(scenario)).toEqual(
        mutations.map((steps) => ["granted", steps.length]),
      );
    }
  },
);

test.each(TIMED.map((timed) => [timed.call, timed] as const))(
  "%s is timed with each way to keep its limit",
  async (_, timed) => {
    const { ways } = await timeInTurns(send, timed, 1);
    expect(ways.map(({ way }) => way)).toEqual(timed.ways);
  },
);

describe("a load", () => {
  test.each(["default", "incumbent", "by hand"])(
    "beyond the limit is granted no more than it allows: %s",
    async (way) => {
      const supplies = ["overloaded"];
      // The capacity lasts for two seconds.
      const [run] = await runAll({ ways: [way], supplies, rates: [20] }, 3);
      const { granted, denied } = run!.loaded.stages[0]!;
      expect(denied).toBeGreaterThan(0);
      expect(granted).toBeGreaterThanOrEqual(20);
      expect(run!.loaded.judged!.overshootTokens).toBe(0);
    },
  );

  test("settles each hold that it was granted", async () => {
    const [run] = await runAll({ verbs: ["settle"], rates: [10] });
    const [hold, settle] = run!.loaded.stages;
    expect(hold!.granted).toBeGreaterThan(0);
    expect(settle).toMatchObject({
      verb: "settle",
      sent: hold!.granted,
      granted: hold!.granted,
      failed: 0,
    });
  });
});

test("what the machine bears is found on keys that nobody shares", async () => {
  const keys: unknown[] = [];
  const [scenario] = scenariosOf(quick, { seconds: 1, kind });
  const watch: Send = (sent) => {
    const [[, , options] = []] = sent.steps;
    keys.push((options as { key: string }).key);
    return send(sent);
  };
  expect(await bearable(watch, scenario!, { levelMs: 5 })).toBeGreaterThan(0);
  expect(new Set(keys).size).toBe(keys.length);
});
