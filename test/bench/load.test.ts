import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import type { NamedScenario } from "../../bench/bar.js";
import { ours, peer } from "../../bench/limiters.js";
import scenarios from "../../bench/scenarios.json" with { type: "json" };
import { simulate } from "../../bench/simulate.js";
import { requireConsent } from "../../bench/load/consent.js";
import { load } from "../../bench/load/load.js";
import { readLoadOptions } from "../../bench/load/options.js";
import { loadReport, overGrants, type Run } from "../../bench/load/report.js";

type Reply = { status: number; body: object };
type Args = { count?: number; name: string };

let server: Server | undefined;
afterEach(() => server?.close());

/** A server in place of a deployment, which answers the n-th request of a run with `reply(n)`. */
async function startReplying(reply: (n: number) => Reply): Promise<string> {
  let requests = 0;
  server = createServer((request, response) => {
    void text(request).then((json) => {
      const { args } = JSON.parse(json) as { args: [Args] };
      const isWarmUp = args[0].count === undefined || args[0].count === 0;
      const { status, body } = isWarmUp ? granted() : reply(requests++);
      response.writeHead(status).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answered(answer: "granted" | "denied"): Reply {
  const value = { answer, now: Date.now() };
  return { status: 200, body: { status: "success", value, logLines: [] } };
}
const granted = () => answered("granted");
const denied = () => answered("denied");

/** The reply of a backend if a mutation conflicted in each of its attempts. */
const conflicted: Reply = {
  status: 503,
  body: {
    code: "OptimisticConcurrencyControlFailure",
    message:
      'Documents read from or written to the "rateLimits" table changed while this mutation was being run and on every subsequent retry.',
  },
};
const overloaded: Reply = {
  status: 503,
  body: { code: "Overloaded", message: "Too many concurrent requests" },
};

const scenario: NamedScenario = {
  ...(scenarios.near20 as NamedScenario),
  arrivalsPerSecond: 100,
  seconds: 0.5,
};

async function run(reply: (n: number) => Reply): Promise<Run> {
  const observed = await load(await startReplying(reply), ours, scenario, 1);
  const predicted = await simulate(ours, scenario, 1);
  return { name: "x", scenario, limiter: ours, observed, predicted };
}

describe("what clients see", () => {
  test("a call that gave up after conflicts is counted apart from other failures", async () => {
    const { observed } = await run(
      (n) => [conflicted, overloaded, denied()][n % 3]!,
    );
    const {
      requests,
      terminalFailures,
      otherFailures,
      denied: refused,
    } = observed;
    expect(requests).toBeGreaterThan(30);
    expect(terminalFailures).toBe(Math.ceil(requests / 3));
    expect(otherFailures).toBe(Math.ceil((requests - 1) / 3));
    expect(refused).toBe(requests - terminalFailures - otherFailures);
    expect(observed.firstFailure).toContain("Too many concurrent requests");
    expect(observed.latenciesMs).toHaveLength(refused);
  });

  test("grants beyond an exact limit are reported as over-granted", async () => {
    const generous = await run(granted);
    const { requests } = generous.observed;
    expect(generous.observed.tokens).toBe(requests);
    // 20 tokens, and at most 20 more a second.
    expect(generous.observed.overshootTokens).toBeGreaterThan(requests - 40);
    expect(overGrants([generous])).toEqual([
      expect.stringContaining("x: over-granted by"),
    ]);
    expect(overGrants([{ ...generous, limiter: peer }])).toEqual([]);
  });

  test("a denial is false if the exact limit holds enough", async () => {
    const { observed } = await run(denied);
    expect(observed.falseDenials).toBe(observed.requests);
  });

  test("the table shows observed figures beside predicted ones", async () => {
    const seen = await run((n) => (n === 0 ? conflicted : granted()));
    const { observed, predicted } = seen;
    const printed = loadReport([seen], false);
    const failed = (100 / observed.requests).toFixed(2);
    expect(printed).toContain(`${failed} (0.00)`);
    expect(printed).toContain(`${observed.tokens} (${predicted.tokens})`);
    expect(printed).not.toContain("embedded server");
    expect(loadReport([seen], true)).toContain("no conflict can happen there");
  });
});

describe("a deployment that is not on this machine", () => {
  const plan = { yes: false, calls: 200, seconds: 10 };
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
    expect(asked.pop()).toContain(`200 calls to ${url}`);
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

describe("the options of a load run", () => {
  test("allow at most 10,000 calls by default", async () => {
    const options = await readLoadOptions([]);
    expect(options.calls).toBeLessThanOrEqual(10_000);
    expect(options.seconds).toBe(2 * 5 * options.scenarios.length);
    expect(options.yes).toBe(false);
  });

  test.each([
    ["--only over20 --seconds 15", "more than --calls 10000"],
    ["--only nothing", "no scenario nothing"],
    ["--calls 0", "--calls"],
    ["--seed x", "--seed"],
  ])("refuse %s", async (args, says) => {
    await expect(readLoadOptions(args.split(" "))).rejects.toThrow(says);
  });
});
