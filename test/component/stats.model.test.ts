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
import { deniedHours, counting } from "../support/stats.js";

useStillClock();

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

/** Makes a call. Returns the outcomes to count. */
async function make(
  { limiter }: App,
  ctx: HostCtx,
  call: Call,
): Promise<Logged[]> {
  const time = Date.now();
  const nothing = { time, granted: 0, denied: 0, wouldDeny: 0, tokens: 0 };
  const said = (
    { name, key, count }: { name: Name; key?: string; count: number },
    { ok, wouldDeny }: { ok: boolean; wouldDeny?: boolean },
  ): Logged => {
    const granted = wouldDeny ? { wouldDeny: 1 } : { tokens: count };
    const outcome = ok ? { granted: 1, ...granted } : { denied: 1 };
    return { ...nothing, name, key, ...outcome };
  };
  if (call.verb === "limitAll") {
    const { items } = call;
    // No two are for the same limit key, so each refuses exactly if it would alone.
    const alone: { ok: boolean; wouldDeny?: boolean }[] = [];
    for (const { name, key, count } of items) {
      alone.push(await limiter.check(ctx, name, { key, count }));
    }
    const { ok } = await limiter.limitAll(ctx, items);
    return items.flatMap((item, i) =>
      ok || !alone[i]!.ok ? [said(item, alone[i]!)] : [],
    );
  }
  const { verb, key, count } = call;
  const options = { key, count };
  if (verb === "hold") {
    const held = await limiter.hold(ctx, "held", options);
    return [said({ ...options, name: "held" }, held)];
  }
  if (verb === "limit") {
    return [said(call, await limiter.limit(ctx, call.name, options))];
  }
  if (verb === "reset") await limiter.reset(ctx, call.name, { key });
  else await limiter[verb](ctx, call.name, options);
  return [];
}

/** Runs the steps. Returns the outcomes of calls that committed. */
async function play(steps: readonly Step[]) {
  freezeClock(MIDNIGHT);
  const app = startApp(counting);
  const { t, limiter } = app;
  const committed: Logged[] = [];
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
      const ban = { key: step.key, bans: [5 * MINUTE], forgetAfter: 0 };
      await t.mutation((ctx) => limiter.penalize(ctx, "bucket", ban));
    } else {
      const log: Logged[] = [];
      const called = t.mutation(async (ctx) => {
        for (const call of step.calls)
          log.push(...(await make(app, ctx, call)));
        if (step.throws) throw new Error("undone");
      });
      if (step.throws) await expect(called).rejects.toThrow("undone");
      else await called.then(() => committed.push(...log));
    }
  }
  return { ...app, committed, latest };
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
        const { t, limiter, committed, latest } = await play(steps);
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
