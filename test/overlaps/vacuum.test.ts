import { expect, test } from "vitest";
import {
  Deployment,
  type CallAnswer,
  type Answered,
} from "../../sim/deployment.js";
import { ours } from "../../bench/limiters.js";

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

/** A minute's rule: a row is full at most a minute after it was last used. */
const config = { kind: "token bucket", rate: 10, period: 60_000 };

/** The vacuum in a deployment in which some keys are idle and others in use. */
function start() {
  const deployment = new Deployment({
    schema: ours.schema,
    modules: ours.modules,
    executionMs: 10,
    seed: 1,
  });
  const call = (atMs: number, name: string, args: Record<string, unknown>) => {
    const given: { answer?: CallAnswer } = {};
    deployment.call(atMs, name, args, (answer) => (given.answer = answer));
    return given;
  };
  return {
    run: () => deployment.run(),
    limit: (atMs: number, key: string) =>
      call(atMs, "lib:rateLimit", { name: "x", key, config }),
    vacuum: (atMs: number) => call(atMs, "vacuum:vacuum", {}),
    value: (atMs: number, key: string) =>
      call(atMs, "lib:getValue", { name: "x", key, config }),
  };
}

const conflicts = ({ answer }: { answer?: CallAnswer }) => answer?.conflicts;

const deletions = ({ answer }: { answer?: CallAnswer }) =>
  answer?.kind === "answered" ? answer.writes.length : undefined;

test("calls on keys in use and on new ones never conflict with the vacuum", async () => {
  const { run, limit, vacuum } = start();
  for (let i = 0; i < 200; i++) limit(i * 20, `idle ${i}`);
  const time = 2 * HOUR_MS;
  for (let i = 0; i < 100; i++)
    limit(time - 30 * SECOND_MS + i * 20, `used ${i}`);
  const swept = vacuum(time);
  // Before, during and after it: a call runs for 6 to 14 ms, and so does the vacuum.
  const asked = Array.from({ length: 100 }, (_, i) => [
    limit(time - 25 + i / 2, `used ${i}`),
    limit(time - 25 + i / 2, `new ${i}`),
  ]).flat();
  await run();
  expect(deletions(swept)).toBe(200);
  expect(conflicts(swept)).toBe(0);
  expect(asked.map(conflicts)).toEqual(asked.map(() => 0));
});

test("a call on a row that is just being deleted begins again, or the vacuum does", async () => {
  let met = 0;
  for (let offset = -24; offset <= 8; offset += 2) {
    const { run, limit, vacuum, value } = start();
    limit(0, "idle");
    const time = 2 * HOUR_MS;
    const both = [vacuum(time), limit(time + offset, "idle")];
    const later = value(time + 1000, "idle");
    await run();
    expect(both.map(({ answer }) => answer?.kind)).toEqual([
      "answered",
      "answered",
    ]);
    // What the call took is not lost.
    const { returned } = later.answer as Answered;
    expect(returned).toMatchObject({ value: { value: 9 } });
    met += both.reduce((sum, given) => sum + (conflicts(given) ?? 0), 0);
  }
  expect(met).toBeGreaterThan(0);
});
