import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import {
  connect,
  fill,
  type Outcome,
  type Send,
} from "../../bench/load/call.js";
import { requireConsent } from "../../bench/load/consent.js";
import { forecast } from "../../bench/load/forecast.js";
import { arrivals, load, stagesOf } from "../../bench/load/load.js";
import { bearable, timesAlone } from "../../bench/load/machine.js";
import { readLoadOptions } from "../../bench/load/options.js";
import { compared, loadReport, overGrants } from "../../bench/load/report.js";
import {
  label,
  lowered,
  runLoads,
  verdictOf,
  type Run,
} from "../../bench/load/run.js";
import {
  LOADS,
  PLACES,
  scenariosOf,
  VERBS,
  type Scenario,
} from "../../bench/load/scenarios.js";
import { weigh } from "../../bench/load/weight.js";

const setting = { seconds: 1, kind: "token bucket" } as const;
const limits = (changes: object = {}): Scenario[] =>
  scenariosOf(
    {
      verbs: ["limit"],
      places: ["alone"],
      supplies: ["just sufficient"],
      ways: ["default"],
      rates: [40],
      ...changes,
    },
    setting,
  );
const scenario = limits()[0]!;
/** As many calls in a tenth of the time, for tests that wait for them. */
const quick: Scenario = { ...scenario, callsPerSecond: 400, seconds: 0.1 };

describe("the reply of a deployment", () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  async function outcomeOf(status: number, body: object): Promise<Outcome> {
    server = createServer((_, response) => {
      response.writeHead(status).end(JSON.stringify(body));
    });
    await new Promise<void>((go) => server!.listen(0, "127.0.0.1", go));
    const { port } = server.address() as AddressInfo;
    const send = connect(`http://127.0.0.1:${port}`);
    return await send({ limiter: "ours", steps: [["limit", "x", {}]] });
  }
  const returned = (...answers: unknown[]) => ({
    status: "success",
    value: { now: 1, answers },
    logLines: [],
  });

  test.each([
    ["granted", 200, returned({ ok: true }, null)],
    ["denied", 200, returned({ ok: true }, { ok: false, retryAfter: 1 })],
    [
      "denied",
      560,
      {
        status: "error",
        errorMessage: "Uncaught ConvexError",
        errorData: { kind: "RateLimited", name: "x", retryAfter: 1 },
        logLines: [],
      },
    ],
    [
      "gave up",
      503,
      {
        code: "OptimisticConcurrencyControlFailure",
        message:
          'Documents read from or written to the "rateLimits" table changed while this mutation was being run and on every subsequent retry.',
      },
    ],
    [
      "failed",
      503,
      { code: "Overloaded", message: "Too many concurrent requests" },
    ],
  ])("is %s if it is %i %o", async (kind, status, body) => {
    expect(await outcomeOf(status, body)).toMatchObject({ kind });
  });
});

describe("what clients see of a load", () => {
  const answering = (kind: (n: number) => Outcome["kind"]): Send => {
    let n = 0;
    return async ({ steps }) => {
      const granted = { now: Date.now(), answers: [{ ok: true }] };
      if (steps.length === 0) return { kind: "granted", ...granted };
      const next = kind(n++);
      return next === "failed"
        ? { kind: next, why: "Too many concurrent requests" }
        : { kind: next, ...granted };
    };
  };

  test("a call that gave up after conflicts is counted apart from other failures", async () => {
    const kinds = ["gave up", "failed", "denied"] as const;
    const send = answering((n) => kinds[n % 3]!);
    const { stages } = await load(send, quick, { seed: 1 });
    const [{ sent, gaveUp, failed, denied, firstFailure, latenciesMs }] =
      stages as [(typeof stages)[0]];
    expect(sent).toBe(arrivals(quick, 1).length);
    expect(gaveUp).toBe(Math.ceil(sent / 3));
    expect(failed).toBe(Math.ceil((sent - 1) / 3));
    expect(denied).toBe(sent - gaveUp - failed);
    expect(firstFailure).toBe("Too many concurrent requests");
    expect(latenciesMs).toHaveLength(denied);
  });

  test("grants beyond an exact limit are over-granted", async () => {
    const config = { ...quick.config, rate: 1, period: 60_000, capacity: 1 };
    const generous = { ...quick, config };
    const send = answering(() => "granted");
    const loaded = await load(send, generous, { seed: 1 });
    const { sent } = loaded.stages[0]!;
    // One token, and at most one more a minute.
    expect(loaded.judged!.overshootTokens).toBeGreaterThan(sent - 2);
    const run = { ...aRun(), scenario: generous, loaded };
    expect(overGrants([run])).toEqual([
      expect.stringContaining("over-granted by"),
    ]);
    const theirs: Scenario = { ...generous, limiter: "peer" };
    expect(overGrants([{ ...run, scenario: theirs }])).toEqual([]);
  });

  test("a denial is false if the exact limit holds enough", async () => {
    const send = answering(() => "denied");
    const { stages, judged } = await load(send, quick, { seed: 1 });
    expect(judged!.falseDenials).toBe(stages[0]!.sent);
  });

  test("a hold that is denied is not settled", async () => {
    const [holds] = limits({ verbs: ["settle"] });
    const { callsPerSecond, seconds } = quick;
    const send = answering(() => "denied");
    const { stages } = await load(
      send,
      { ...holds!, callsPerSecond, seconds },
      { seed: 1 },
    );
    expect(stages.map(({ verb, sent }) => [verb, sent > 0])).toEqual([
      ["hold", true],
      ["settle", false],
    ]);
  });
});

describe("what is found out before a load", () => {
  const [hold] = limits({ verbs: ["settle"] });
  const granted = { kind: "granted", now: 1 } as const;
  const answer: Outcome = { ...granted, answers: [{ ok: true, id: "h" }] };
  const broken: Outcome = { kind: "failed", why: "There is no settle." };

  test("forgives a call that fails, but no mutation that always does", async () => {
    let n = 0;
    const once: Send = async () => (n++ === 0 ? broken : answer);
    await timesAlone(once, hold!, { calls: 1 });
    const never: Send = async ({ steps }) =>
      steps[0]![0] === "settle" ? broken : answer;
    await expect(timesAlone(never, hold!, { calls: 3 })).rejects.toThrow(
      "There is no settle.",
    );
  });

  test("does not count failed calls as borne", async () => {
    const fails: Send = async () => {
      await new Promise((go) => setTimeout(go));
      return broken;
    };
    expect(await bearable(fails, hold!, { levelMs: 1 })).toBe(0);
  });
});

test("each way meets the same arrivals", () => {
  const [one, other] = limits({ ways: ["auto", "incumbent 10"] });
  expect(arrivals(one!, 7)).toEqual(arrivals(other!, 7));
  expect(arrivals(one!, 7)).not.toEqual(arrivals(one!, 8));
});

describe("a scenario", () => {
  test("refills by what its calls use", () => {
    const rateOf = (changes: object) => limits(changes)[0]!.config.rate;
    expect(rateOf({ supplies: ["overloaded"] })).toBe(20);
    expect(rateOf({ supplies: ["healthy"] })).toBe(400);
    expect(rateOf({ supplies: ["healthy"], verbs: ["settle"] })).toBe(1600);
  });

  test("is left out if the limiter lacks the verb", () => {
    const ways = ["default", "incumbent", "by hand"];
    const having = (verb: string) =>
      limits({ verbs: [verb], ways }).map(({ way }) => way);
    expect(having("limit")).toEqual(ways);
    expect(having("check")).toEqual(["default", "incumbent"]);
    expect(having("settle")).toEqual(["default"]);
  });

  test.each([
    [{ verbs: ["nothing"] }, 'no verb "nothing"; there are limit, check'],
    [{ places: ["constructor"] }, 'no place "constructor"'],
    [{ supplies: ["dry"] }, "there are healthy, just sufficient, overloaded"],
    [{ ways: ["ours"] }, "--way ours"],
    [{ ways: [""] }, "--way"],
  ])("is refused for %j", (changes, says) => {
    expect(() => limits(changes)).toThrow(says);
  });

  test("has rates that the machine bears", () => {
    expect(lowered([5, 10, 20], 1000)).toEqual([5, 10, 20]);
    expect(lowered([5, 10, 20], 24)).toEqual([5, 10, 12]);
    expect(lowered([10, 20], 8)).toEqual([4]);
    expect(lowered([10], 0.1)).toEqual([1]);
  });
});

test("a word in a step for which nothing stands is an error", () => {
  const bindings = { name: "n", key: "k", each: "e", config: { rate: 1 } };
  const fillOne = () => fill([["settle", "$answer.id"]], bindings);
  expect(fillOne).toThrow("$answer.id");
});

describe("the simulator", () => {
  const machine = (aloneMs: number[], bearable = 1e6) => ({
    aloneMs,
    bearable,
  });

  test.each(Object.keys(VERBS))(
    "forecasts each mutation of %s",
    async (verb) => {
      const places = Object.keys(PLACES).slice(-2);
      const ways = ["default", "incumbent 10"];
      const supplies = ["healthy"];
      for (const one of limits({ verbs: [verb], places, ways, supplies })) {
        const rare = { ...one, callsPerSecond: 5 };
        const { stages } = await forecast(
          rare,
          machine(one.mutations.map(() => 20)),
          1,
        );
        for (const stage of stages) {
          expect(stage.granted, label(one)).toBeGreaterThan(0);
          expect(stage).toMatchObject({ failed: 0, denied: 0 });
        }
      }
    },
  );

  test("has a call take as long as it does alone", async () => {
    const [rare] = limits({ rates: [1], supplies: ["healthy"] });
    const { stages } = await forecast(
      { ...rare!, seconds: 50 },
      machine([40]),
      1,
    );
    const { latenciesMs } = stages[0]!;
    const mean = latenciesMs.reduce((a, b) => a + b, 0) / latenciesMs.length;
    expect(mean).toBeGreaterThan(35);
    expect(mean).toBeLessThan(50);
  });

  test("foresees that one row fails where several do not", async () => {
    const lost = async (way: string) => {
      const supplies = ["healthy"];
      const [one] = limits({ ways: [way], supplies, rates: [60] });
      const { stages } = await forecast(
        { ...one!, seconds: 2 },
        machine([25]),
        1,
      );
      return (100 * stages[0]!.gaveUp) / stages[0]!.sent;
    };
    expect(await lost("1")).toBeGreaterThan(10);
    expect(await lost("by hand")).toBeGreaterThan(10);
    expect(await lost("10")).toBeLessThan(2);
  });
});

/** A run in which 100 calls a second were all answered after 20 ms. */
function aRun(changes: Partial<Run> = {}): Run {
  const [stage] = stagesOf(scenario);
  const stages = [
    {
      ...stage!,
      sent: 100,
      granted: 100,
      latenciesMs: Array.from({ length: 100 }, () => 20),
    },
  ];
  return {
    part: "hot",
    scenario,
    aloneMs: [20],
    bearable: 200,
    nothingAloneMs: 3,
    loaded: { stages, nothingMs: 4, lateMs: 1 },
    forecast: { stages },
    ...changes,
  };
}

/** The same, with other figures for its only mutation. */
function loadedWith(changes: object, lateMs = 1): Run["loaded"] {
  const { loaded } = aRun();
  return { ...loaded, lateMs, stages: [{ ...loaded.stages[0]!, ...changes }] };
}

describe("the verdict", () => {
  const slow = Array.from({ length: 100 }, () => 61);

  test.each<[string, Partial<Run>]>([
    ["bears", {}],
    ["bears", { loaded: loadedWith({ gaveUp: 1 }) }],
    ["bears", { loaded: loadedWith({ gaveUp: 1, sent: 20 }) }],
    ["fails", { loaded: loadedWith({ gaveUp: 2 }) }],
    ["waits", { loaded: loadedWith({ latenciesMs: slow }) }],
    ["machine full", { bearable: 50, loaded: loadedWith({ gaveUp: 2 }) }],
    ["machine full", { loaded: loadedWith({ gaveUp: 2 }, 101) }],
  ])("is %s of %j", (verdict, changes) => {
    expect(verdictOf(aRun(changes))).toBe(verdict);
  });

  test("ends the rise of a way that fails", async () => {
    const send: Send = async () => ({ kind: "gave up" });
    const runs: Run[] = [];
    const selection = { ...LOADS.hot!, ways: ["1"], rates: [400, 800] };
    const rising = runLoads(send, "hot", selection, {
      ...setting,
      seconds: quick.seconds,
      seed: 1,
      levelMs: 1,
      alone: 1,
      workCallMs: 1,
      progress: () => {},
    });
    for await (const run of rising) runs.push(run);
    expect(runs.map((run) => run.scenario.callsPerSecond)).toEqual([400]);
  });

  test("says that a mutation that does nothing waits, too", () => {
    const { loaded } = aRun();
    const busy = aRun({ loaded: { ...loaded, nothingMs: 10 } });
    expect(loadReport([busy])).toContain("bears, busy");
    expect(loadReport([aRun()])).not.toContain("busy");
  });
});

describe("a table", () => {
  test.each([
    [10, 10, "10 (10)"],
    [10, 20, "10 (20)"],
    [10, 21, "10 (21) ≠"],
    [21, 10, "21 (10) ≠"],
    [0, 5, "0 (5)"],
    [0, 6, "0 (6) ≠"],
  ])(
    "marks %d beside a forecast of %d if they differ by more than a factor of two",
    (observed, predicted, cell) => {
      expect(compared(observed, predicted, 0, 5)).toBe(cell);
    },
  );
});

test("a function weighs what it loads, each module once", () => {
  const functions = [
    { path: "lib.js", source: 'import{a}from"./_deps/A.js";import"./b.js"' },
    { path: "b.js", source: 'import {a} from "./_deps/A.js"; // ä' },
    { path: "_deps/A.js", source: 'export * from "../b.js";' },
    { path: "alone.js", source: 'import { v } from "convex/values";' },
  ];
  const component = (definitionPath: string) => ({ definitionPath, functions });
  const weights = weigh({
    appDefinition: { changedModules: [] },
    componentDefinitions: [
      component("../../dist/component"),
      component("../../node_modules/@convex-dev/rate-limiter/dist/component"),
    ],
  });
  const bytes = functions.map(({ source }) => Buffer.byteLength(source));
  const [lib, b, a, alone] = bytes as [number, number, number, number];
  const ours = weights.filter(({ of }) => of === "convex-rate-limiter");
  expect(ours).toEqual([
    expect.objectContaining({
      module: "lib.js",
      modules: 3,
      bytes: lib + b + a,
    }),
    expect.objectContaining({ module: "b.js", modules: 2, bytes: b + a }),
    expect.objectContaining({ module: "alone.js", modules: 1, bytes: alone }),
    expect.objectContaining({ modules: 4, bytes: lib + b + a + alone }),
  ]);
});

describe("a deployment that is not on this machine", () => {
  const plan = { yes: false, pushes: true, calls: 200, callSeconds: 10 };
  const url = "https://happy-animal-123.convex.cloud";
  const asked: string[] = [];
  const terminal = (answer: string, isTTY = true) => ({
    isTTY,
    ask: async (question: string) => {
      asked.push(question);
      return answer;
    },
  });

  test("is loaded only after a yes", async () => {
    await requireConsent(url, plan, terminal("y"));
    const question = asked.pop();
    expect(question).toContain(`200 calls to ${url}`);
    expect(question).toContain("in place of the app that is there");
    for (const answer of ["", "n", "no", "yesterday"]) {
      await expect(requireConsent(url, plan, terminal(answer))).rejects.toThrow(
        "Nothing was sent.",
      );
    }
  });

  test("is refused without a terminal, unless --yes is passed", async () => {
    asked.length = 0;
    await expect(
      requireConsent(url, plan, terminal("y", false)),
    ).rejects.toThrow("--yes");
    await requireConsent(url, { ...plan, yes: true }, terminal("", false));
    for (const local of ["http://127.0.0.1:3210", "http://localhost:3210"]) {
      await requireConsent(local, plan, terminal("", false));
    }
    expect(asked).toEqual([]);
  });
});

describe("the command line", () => {
  const read = (line: string) => readLoadOptions(line.split(" "));

  test("without parts asks for all but the table of all verbs", () => {
    const options = readLoadOptions([]);
    expect(options).toMatchObject({ weighs: true, times: true, yes: false });
    expect(options.loads).toEqual(
      ["hot", "holds", "first", "limitAll"].map((part) => [part, LOADS[part]]),
    );
  });

  test("chooses from each axis of a part", () => {
    const options = read(
      "verbs --verb settle --verb limit --rate 5 --rate 10 --way auto --seconds 2",
    );
    expect(options).toMatchObject({ weighs: false, times: false });
    expect(options.loads).toEqual([
      [
        "verbs",
        {
          ...LOADS.verbs,
          verbs: ["settle", "limit"],
          ways: ["auto"],
          rates: [5, 10],
          isAsked: true,
        },
      ],
    ]);
    // Three mutations, five places, three supplies, 15 calls a second for 2 s.
    expect(options.calls).toBe(3 * 5 * 3 * 15 * 2);
    expect(options.callSeconds).toBe(2 * 5 * 3 * 2 * 2);
  });

  test.each([
    ["nothing", "no part nothing; there are weight, cost, hot"],
    ["hot --rate 0", "--rate"],
    ["hot --seconds x", "--seconds"],
    ["cost --rounds 1.5", "--rounds"],
    ["hot --kind bucket", "--kind"],
    ["hot --verb nothing", "no verb"],
  ])("refuses %s", (line, says) => {
    expect(() => read(line)).toThrow(says);
  });
});
