import { DAY, type LimitConfig, MINUTE } from "convex-rate-limiter";
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { MIDNIGHT, freezeClock } from "../support/host.js";
import { keptStateOf } from "../support/keptState.js";
import { root } from "../support/root.js";
import { weigh } from "../support/weight.js";

/*
 * Convex may keep what `lib`, `verbs` and `looks` have evaluated for later calls, of whatever
 * limit and key (`experimental_reuseContext`). No call may see another one by that.
 */

const evaluated = await weigh(
  ["lib", "verbs", "looks"]
    .map((module) => `export * as ${module} from "./component/${module}.js";`)
    .join("\n"),
);

describe("what calls leave to later calls", () => {
  test("is nothing but bounded caches of calendars and time zones", () => {
    const kept = [...evaluated.keys()].sort().flatMap((file) => {
      const code = readFileSync(root + file, "utf8");
      return keptStateOf(code).map((state) => `${file}: ${state}`);
    });
    expect(kept).toEqual([
      "src/core/calendar.ts: new Map<string, Refill>()",
      "src/core/calendar.ts: new Map<string, Zone>()",
    ]);
  });

  test.each([
    ["let calls = 0;", "let calls"],
    ["export let last: string | undefined;", "let last"],
    ["const seen = new Map<string, number>();", "new Map<string, number>()"],
    ["const log: string[] = [];", "[]"],
    ["const byKey = {};", "{}"],
    ["const log = [1]; const f = () => log.push(2);", "changes log"],
    ["const last = { n: 0 }; const f = () => last!.n++;", "changes last"],
    ["const o = { a: 1 }; const f = () => delete o.a;", "changes o"],
    ["const o = { a: 1 }; const f = () => Object.assign(o, {});", "changes o"],
    ["import { o } from './o.js'; const f = () => o.all.sort();", "changes o"],
    ["function f() { f.calls = 1; }", "changes f"],
    ["const f = () => (Math.random = () => 0);", "changes Math"],
    ["globalThis.calls = 1;", "changes globalThis"],
    ["const WORD = /a/g;", "/a/g"],
    ["class A { static calls = 0; }", "static calls = 0;"],
    ["class A { static { A.all = [1]; } }", "static { A.all = [1]; }"],
    ["const next = counter();", "counter()"],
  ])("would be more with %s", (code, state) => {
    expect(keptStateOf(code)).toContain(state);
  });

  test.each([
    "const LIMITS = { most: [1, 2] } as const;",
    "const f = () => { let n = 0; const all = []; all.push(n++); return all; };",
    "const f = (s: string) => s.replace(/a/g, '');",
    "class A { private all = new Map(); n = 0; add() { this.n++; } }",
    "export const limit = mutation({ args: lazily(args), handler: () => 1 });",
  ])("would not be more with %s", (code) => {
    expect(keptStateOf(code)).toEqual([]);
  });
});

/** Freezes an object and all that it leads to. Returns how many objects that are. */
function deepFreeze(it: unknown, seen = new Set<object>()): number {
  const isObject = typeof it === "object" && it !== null;
  if ((!isObject && typeof it !== "function") || seen.has(it)) return seen.size;
  // Frozen, these can still be filled.
  expect(it).not.toBeInstanceOf(Map);
  expect(it).not.toBeInstanceOf(Set);
  seen.add(it);
  for (const name of Reflect.ownKeys(it)) {
    const field = Reflect.getOwnPropertyDescriptor(it, name)!;
    [field.value, field.get, field.set].forEach((one) => deepFreeze(one, seen));
  }
  Object.freeze(it);
  return seen.size;
}

describe("one evaluation for all calls", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    vi.useRealTimers();
    // Files that run later must not get what is frozen.
    vi.resetModules();
  });

  const LIMITS = {
    bucket: { kind: "token bucket", rate: 10, period: MINUTE, stats: true },
    split: { kind: "token bucket", rate: 80, period: MINUTE, shards: 4 },
    window: {
      kind: "fixed window",
      rate: 5,
      period: "month",
      timeZone: "Europe/Berlin",
      overrides: true,
    },
    queue: { kind: "token bucket", rate: 2, period: MINUTE, maxReserved: 5 },
    places: { kind: "concurrency", capacity: 2, lease: MINUTE },
  } as const satisfies Record<string, LimitConfig>;

  test("answers each app alike, and writes to nothing that it shares", async () => {
    vi.resetModules();
    const files = [...evaluated.keys()].filter(
      (f) => !f.includes("_generated"),
    );
    let frozen = 0;
    for (const file of files) {
      const exports = (await import(`${root}${file}`)) as object;
      for (const it of Object.values(exports)) frozen += deepFreeze(it);
    }
    expect(frozen).toBeGreaterThan(200);
    const { startApp } = await import("../support/startApp.js");

    const play = async () => {
      freezeClock(MIDNIGHT);
      vi.spyOn(Math, "random").mockReturnValue(0.4);
      const app = startApp(LIMITS);
      const key = "__proto__";
      const config = { ...LIMITS.bucket, rate: 3 };
      const held = await app.held("bucket", { key, count: 2 });
      const place = await app.held("places");
      return [
        await app.limit("bucket", { key, count: 3 }),
        await app.limit("bucket", { key, count: 3, config }),
        await app.limit("bucket", { key, count: 9 }),
        await app.limit("split", { count: 21 }),
        await app.limit("split", { count: 70 }),
        await app.limit("split", { count: 5, upTo: true }),
        await app.limit("window", { count: 6 }).catch(String),
        await app.setOverride("window", { key, config: { rate: 9 } }),
        await app.limit("window", { key, count: 6 }),
        await app.clearOverride("window", { key }),
        await app.details("window", { key }),
        await app.limit("queue", { count: 2 }),
        await app.limit("queue", { count: 3, reserve: true }),
        await app.limitAll([{ name: "bucket" }, { name: "window" }]),
        await app.checkAll([{ name: "bucket", count: 9 }, { name: "window" }]),
        await app.credit("split", { count: 2 }),
        await app.charge("split", { count: 50 }),
        await app.settle(held, 1),
        await app.renew(place),
        await app.release(place),
        await app.getValue("bucket", { key }),
        await app.limit("bucket", { count: Number.NaN }).catch(String),
        await app.reset("bucket", { key }),
        await app.check("bucket", { key, count: 10 }),
      ];
    };
    const first = await play();
    expect(await play()).toEqual(first);
  });

  test("caches at most 100 zones, 100 calendars and 500 windows of each", async () => {
    vi.resetModules();
    const sizes = new Map<object, number>();
    let sets = 0;
    class Counted<Key, Value> extends Map<Key, Value> {
      override set(key: Key, value: Value) {
        sets++;
        super.set(key, value);
        sizes.set(this, Math.max(sizes.get(this) ?? 0, this.size));
        return this;
      }
    }
    vi.stubGlobal("Map", Counted);
    const { calendarRefill } = await import("../../src/core/calendar.js");
    const zones = Intl.supportedValuesOf("timeZone");
    for (const timeZone of zones) {
      calendarRefill({ period: "day", timeZone }).startAt(MIDNIGHT);
    }
    const { startAt } = calendarRefill({ period: "day", timeZone: "UTC" });
    for (let day = 0; day < 2000; day++) startAt(MIDNIGHT + day * DAY);
    vi.unstubAllGlobals();
    expect(zones.length).toBeGreaterThan(400);
    expect(sets).toBeGreaterThan(2000);
    const [starts, ...others] = [...sizes.values()].sort((a, b) => b - a);
    expect([starts, others[0]]).toEqual([500, 100]);
  });
});
