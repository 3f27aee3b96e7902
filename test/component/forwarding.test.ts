import { MINUTE } from "convex-rate-limiter";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  components,
  inComponent,
  startHost,
  useStillClock,
  type Host,
  type HostCtx,
} from "../host.js";

useStillClock();
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.5));
afterEach(() => void vi.restoreAllMocks());

const { lib, asynchronous } = components.rateLimiter;

const config = {
  kind: "token bucket",
  rate: 10,
  period: MINUTE,
  applyUpdates: "asynchronously",
} as const;
const account = { name: "free", key: "a", config };
const inRows = { kind: "token bucket", rate: 5, period: MINUTE } as const;
const limits = [account, { name: "rows", key: "a", config: inRows }];

type Modules = { of: typeof lib | typeof asynchronous };

const storedIn = (t: Host) =>
  inComponent(t, async ({ db }) => {
    const takings = await db.query("takings").collect();
    const rows = await db.query("rateLimits").collect();
    return { takings, rows };
  });

/** What each verb answers, one after another, and what is stored then. */
async function lived({ of }: Modules) {
  const t = startHost();
  const verbs: ((ctx: HostCtx) => Promise<unknown>)[] = [
    (ctx) => ctx.runMutation(of.rateLimit, { ...account, count: 4 }),
    (ctx) => ctx.runQuery(of.checkRateLimit, { ...account, details: true }),
    (ctx) => ctx.runMutation(of.charge, { ...account, count: 8 }),
    (ctx) => ctx.runMutation(of.rateLimit, account),
    (ctx) => ctx.runQuery(of.getValue, account),
    (ctx) => ctx.runMutation(of.credit, { ...account, count: 5 }),
    (ctx) => ctx.runMutation(of.limitAll, { limits, details: true }),
    (ctx) => ctx.runQuery(of.checkAll, { limits, details: true }),
    (ctx) => ctx.runMutation(of.resetRateLimit, account),
    (ctx) => ctx.runQuery(of.checkRateLimit, { ...account, count: 10 }),
  ];
  const answers: unknown[] = [];
  for (const verb of verbs) answers.push(await t.mutation(verb));
  const { takings, rows } = await storedIn(t);
  const stored = [...takings, ...rows].map(
    ({ _id, _creationTime, ...stored }) => stored,
  );
  return { answers, stored };
}

test("lib answers and stores what asynchronous does, of limits that are asynchronous and of lists with one", async () => {
  const direct = await lived({ of: asynchronous });
  expect(direct.answers).toHaveLength(10);
  expect(direct.stored.length).toBeGreaterThan(4);
  expect(await lived({ of: lib })).toEqual(direct);
});

test("what is queued is taken where the mode of its config keeps it", async () => {
  const t = startHost();
  const update = { key: "a", kind: "consume" as const, count: 2, ts: 0 };
  const updates = [
    { ...update, name: "free", config },
    { ...update, name: "rows", config: inRows },
  ];
  await t.mutation((ctx) => ctx.runMutation(lib.enqueueUpdates, { updates }));
  expect(await storedIn(t)).toMatchObject({
    takings: [{ name: "free", count: 2 }],
    rows: [{ name: "rows", value: 3 }],
  });
});
