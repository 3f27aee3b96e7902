import { DAY, HOUR, MINUTE } from "convex-rate-limiter";
import fc from "fast-check";
import { expect, test } from "vitest";
import { optional, rarely, step } from "../support/arbitraries.js";
import { startApp, type App } from "../support/startApp.js";
import {
  freezeClock,
  MIDNIGHT,
  useStillClock,
  type HostCtx,
  runVacuum,
  fold,
} from "../support/host.js";
import { runs } from "../support/seed.js";
import { deniedHours, limitsWith } from "../support/stats.js";

useStillClock();

const counting = limitsWith(true);
type Limits = typeof counting;
const USED_UP = ["bucket", "window", "split", "dryRun"] as const;
const NAMES = [...USED_UP, "held"] as const;
type Name = (typeof NAMES)[number];

/** The outcome of a call, as its caller knows it. */
type Logged = {
  name: Name;
  key: string | undefined;
  time: number;
  granted: number;
  denied: number;
  wouldDeny: number;
  tokens: number;
};

type Item = { name: (typeof USED_UP)[number]; key?: string; count: number };
type Call =
  | ({ verb: "limit" | "reset" | "credit" | "charge" } & Item)
  | { verb: "hold"; key?: string; count: number }
  | { verb: "limitAll"; items: Item[] };
type Step =
  | { verb: "mutation"; calls: Call[]; throws: boolean }
  | { verb: "pass"; ms: number }
  | { verb: "ban"; key: string }
  | { verb: "fold"; name?: Name | undefined }
  | { verb: "vacuum" };

const aKey = fc.constantFrom(undefined, "a", "b");
const anItem = fc.record({
  name: fc.constantFrom(...USED_UP),
  key: aKey,
  // All of them are exact as floats.
  count: fc.constantFrom(0, 0.5, 1, 2),
});
const someItems = fc.uniqueArray(anItem, {
  minLength: 1,
  maxLength: 3,
  selector: ({ name, key }) => `${name} ${key}`,
});
const aCall: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 6,
    arbitrary: anItem.map((item) => ({ verb: "limit" as const, ...item })),
  },
  step("hold", 2, { key: aKey, count: fc.constantFrom(1, 2) }),
  step("limitAll", 2, { items: someItems }),
  fc
    .tuple(fc.constantFrom("reset", "credit", "charge"), anItem)
    .map(([verb, item]) => ({ verb, ...item, count: item.count || 1 })),
);
const aStep: fc.Arbitrary<Step> = fc.oneof(
  step("mutation", 8, {
    calls: fc.array(aCall, { minLength: 1, maxLength: 4 }),
    throws: rarely(4),
  }),
  step("pass", 4, {
    ms: fc.constantFrom(
      ...[1, MINUTE - 1, MINUTE, 7 * MINUTE, HOUR, 9 * HOUR],
      ...[-MINUTE, -30 * MINUTE],
    ),
  }),
  step("fold", 3, { name: optional(fc.constantFrom(...NAMES)) }),
  step("vacuum", 1),
  step("ban", 1, { key: fc.constantFrom("a", "b") }),
);

/** Makes a call. Returns its answer, and the outcomes to count. */
async function make(
  { limiter }: App,
  ctx: HostCtx,
  call: Call,
): Promise<{ answer: unknown; log: Logged[] }> {
  const time = Date.now();
  const nothing = { time, granted: 0, denied: 0, wouldDeny: 0, tokens: 0 };
  const said = (
    { name, key, count }: { name: Name; key?: string; count: number },
    { ok, wouldDeny }: { ok: boolean; wouldDeny?: boolean },
  ): Logged => ({
    ...nothing,
    name,
    key,
    ...(ok
      ? {
          granted: 1,
          wouldDeny: wouldDeny ? 1 : 0,
          tokens: wouldDeny ? 0 : count,
        }
      : { denied: 1 }),
  });
  if (call.verb === "limit") {
    const { name, key, count } = call;
    const answer = await limiter.limit(ctx, name, { key, count });
    return { answer, log: [said(call, answer)] };
  }
  if (call.verb === "hold") {
    const { key, count } = call;
    const held = await limiter.hold(ctx, "held", { key, count });
    const answer = { ...held, id: undefined };
    return { answer, log: [said({ ...call, name: "held" }, answer)] };
  }
  if (call.verb === "limitAll") {
    const { items } = call;
    // No two are for the same limit key, so each refuses exactly if it would alone.
    const alone: { ok: boolean; wouldDeny?: boolean }[] = [];
    for (const { name, key, count } of items) {
      alone.push(await limiter.check(ctx, name, { key, count }));
    }
    const answer = await limiter.limitAll(ctx, items);
    const log = items.flatMap((item, i) =>
      answer.ok || !alone[i]!.ok ? [said(item, alone[i]!)] : [],
    );
    return { answer, log };
  }
  const { verb, name, key, count } = call;
  const options = { key, count };
  const answer = {
    reset: () => limiter.reset(ctx, name, { key }),
    credit: () => limiter.credit(ctx, name, options),
    charge: () => limiter.charge(ctx, name, options),
  }[verb];
  return { answer: await answer(), log: [] };
}

/** Runs the steps. Returns the outcomes of calls that committed, and all answers. */
async function play(limits: Limits, steps: readonly Step[]) {
  freezeClock(MIDNIGHT);
  const app = startApp(limits);
  const { t, limiter } = app;
  const committed: Logged[] = [];
  const answers: unknown[] = [];
  let latest = Date.now();
  for (const step of steps) {
    if (step.verb === "pass") {
      // The vacuum allows for clocks that differ by less than an hour.
      freezeClock(Math.max(Date.now() + step.ms, latest - 30 * MINUTE));
      latest = Math.max(latest, Date.now());
    } else if (step.verb === "fold") {
      await fold(t, step.name ? { name: step.name } : {});
    } else if (step.verb === "vacuum") await runVacuum(t);
    else if (step.verb === "ban") {
      await t.mutation((ctx) =>
        limiter.penalize(ctx, "bucket", {
          key: step.key,
          bans: [5 * MINUTE],
          forgetAfter: 0,
        }),
      );
    } else {
      const log: Logged[] = [];
      await t
        .mutation(async (ctx) => {
          for (const call of step.calls) {
            const made = await make(app, ctx, call);
            answers.push(made.answer);
            log.push(...made.log);
          }
          if (step.throws) throw new Error("undone");
        })
        .then(
          () => committed.push(...log),
          (error: Error) => expect(error.message).toBe("undone"),
        );
    }
  }
  return { ...app, committed, answers, latest };
}

const FIELDS = ["granted", "denied", "wouldDeny", "tokens"] as const;

/** The sums of a log for each minute or hour from a time on. */
function sumsOf(logged: readonly Logged[], size: number, from: number) {
  const sums = new Map<number, number[]>();
  for (const call of logged) {
    const start = Math.floor(call.time / size) * size;
    const before = sums.get(start) ?? FIELDS.map(() => 0);
    const sum = FIELDS.map((field, i) => before[i]! + call[field]);
    sums.set(start, sum);
  }
  return Array.from(sums, ([start, sum]) => [start, ...sum])
    .filter(([start]) => start! > from - size)
    .sort((a, b) => a[0]! - b[0]!);
}

/*
 * The oracle is a log of what each committed call returned to its caller. It knows no event and no
 * fold, and gets no entry from a mutation that was undone.
 */
test("stats and topDenied match a log of the calls, whatever was folded, vacuumed or undone", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(aStep, { minLength: 5, maxLength: 40 }),
      async (steps) => {
        const { t, limiter, committed, latest } = await play(counting, steps);
        const to = latest + 1;
        const month = { from: to - 30 * DAY, to };
        for (const name of NAMES) {
          const logged = committed.filter((call) => call.name === name);
          for (const [by, size, kept] of [
            ["minute", MINUTE, DAY],
            ["hour", HOUR, 30 * DAY],
          ] as const) {
            const from = to - kept;
            const intervals = await t.query((ctx) =>
              limiter.stats(ctx, name, { from, to, by }),
            );
            const told = intervals
              .map((one) => [one.from, ...FIELDS.map((f) => one[f] ?? 0)])
              .filter(([, ...sum]) => sum.some((n) => n > 0));
            expect(told).toEqual(sumsOf(logged, size, from));
          }
          for (const what of ["denied", "wouldDeny"] as const) {
            const denials = new Map<string, number>();
            for (const { key, [what]: denied } of logged) {
              if (key === undefined || denied === 0) continue;
              denials.set(key, (denials.get(key) ?? 0) + 1);
            }
            const wouldDeny = what === "wouldDeny";
            const top = await t.query((ctx) =>
              limiter.topDenied(ctx, name, { ...month, wouldDeny }),
            );
            const order = top.map(({ key, denied }) => [key, denied] as const);
            expect(new Map(order)).toEqual(denials);
            expect(order).toEqual(order.toSorted((a, b) => b[1] - a[1]));
          }
          const hours = await deniedHours(t, name, "a", month.from, to);
          const ofA = logged.filter((one) => one.key === "a" && one.denied > 0);
          expect(hours.filter(({ denied }) => denied > 0)).toEqual(
            sumsOf(ofA, HOUR, month.from).map(([from, , denied]) => ({
              from,
              denied,
              isLowerBound: false,
            })),
          );
        }
      },
    ),
    runs(4),
  );
}, 120_000);

test("stats change no answer", async () => {
  const plain = limitsWith(false);
  await fc.assert(
    fc.asyncProperty(
      fc.array(aStep, { minLength: 5, maxLength: 30 }),
      async (steps) => {
        const { answers } = await play(counting, steps);
        expect(answers).toEqual((await play(plain, steps)).answers);
      },
    ),
    runs(6),
  );
}, 120_000);
