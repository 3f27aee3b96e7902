import { DAY } from "convex-rate-limiter";
import { describe, expect, test } from "vitest";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import {
  ada,
  ask,
  post,
  startDashboard,
  storedState,
  take,
  until,
} from "./dashboard.js";

useStillClock();

describe("a bad body gets a clear 400 and changes nothing", () => {
  const ban = { ask: "ban", ...ada };
  const change = { ask: "change", ...ada };
  const places = { ask: "change", limit: "render" };
  const keys = { ask: "keys", limit: "message", order: "key", cursor: null };
  const unknown = (limit: string) => ({ ask: "reset", limit });
  const release = (limit: string, id: string) => ({
    ask: "release",
    limit,
    id,
  });
  const credit = { credit: true };
  const endless =
    '{"ask":"ban","limit":"message","key":"ada","once":"a","until":1e999}';

  /** Bad bodies by a part of their error. */
  const bodies: [why: string, ...bodies: unknown[]][] = [
    ["not JSON", "", "{"],
    ["ask must be one of limits, keys,", "null", "[]", '"reset"', {}],
    ["ask must be one of limits, keys,", { ask: "drop" }, { ask: ["reset"] }],
    ["ask must be one of limits, keys,", { ask: "constructor" }],
    ["limit", { ask: "reset", key: "ada" }, { ask: "reset", limit: 7 }],
    ['no limit of the name "mesage"', unknown("mesage")],
    ['no limit of the name "mesage"', { ...keys, limit: "mesage" }],
    ['no limit of the name "constructor"', unknown("constructor")],
    ['no limit of the name "__proto__"', unknown("__proto__")],
    ["key", { ask: "find", key: 7 }, { ask: "penalize", limit: "message" }],
    ["key", { ask: "reset", limit: "message", key: 7 }],
    ["key is not well-formed text", { ask: "find", key: "\ud800" }],
    ["cursor is not well-formed text", { ...keys, cursor: "a\udfff" }],
    ["key must be at most 1024 bytes", { ask: "find", key: "k".repeat(1025) }],
    ["config", { ask: "reset", ...ada, config: {} }],
    ["once", { ...ban, until, once: undefined }, { ...ban, until, once: 7 }],
    ["once must be a non-empty string", { ...ban, until, once: "" }],
    ["until", ban, { ...ban, until: "soon" }],
    ["until must be in the future", { ...ban, until: MIDNIGHT }],
    ["until must be in the future", { ...ban, until: 0 }, endless],
    ["at most ten years", { ...ban, until: MIDNIGHT + 3661 * DAY }],
    ["note", { ...ban, until, note: 7 }],
    [
      "Rate limit message: note must be at most 1024 bytes long in UTF-8, but has 1026.",
      { ...ban, until, note: "ü".repeat(513) },
    ],
    ["Give a rate, a capacity, or both.", change],
    ["rate must be a finite number above 0, but is 0.", { ...change, rate: 0 }],
    [
      "Rate limit message: capacity must be a finite number of at least 0, but is -1.",
      { ...change, capacity: -1 },
    ],
    ['no rate in a limit of kind "concurrency".', { ...places, rate: 1 }],
    ["credit", { ...change, rate: 60, credit: 2 }],
    ["but there is no key", { ...change, key: undefined, rate: 60, ...credit }],
    [
      'kind is "concurrency"',
      { ...places, key: "ada", capacity: 5, ...credit },
    ],
    ["x:message is not a lease", release("message", "x:message")],
    ["x:message is not a lease", release("render", "x:message")],
    ["There is no such lease.", release("render", "x:render")],
    ["overrides must be true", { ...ban, limit: "signUp", until }],
    ["overrides must be true", { ask: "clear", limit: "signUp" }],
    ["bans", { ask: "forget", key: "ada" }],
    ["order", { ...keys, order: "value" }],
    ["cursor", { ...keys, cursor: 7 }],
    ["span", { ask: "denials", limit: "message", span: "year" }],
    ["more than 16384", { ask: "reset", ...ada, note: "x".repeat(17_000) }],
  ];

  test.for(
    bodies.flatMap(([why, ...bad]) =>
      bad.map(
        (body) => [why, JSON.stringify(body).slice(0, 60), body] as const,
      ),
    ),
  )("%s: %s", async ([why, , body]) => {
    const t = startDashboard();
    await take(t, "ada", 2);
    await ask(t, { ask: "ban", ...ada, until, note: "before" });
    const before = await storedState(t);
    const response = await post(t, body);
    const { error } = (await response.json()) as { error: string };
    expect([response.status, error]).toEqual([
      400,
      expect.stringContaining(why),
    ]);
    expect(await storedState(t)).toEqual(before);
  });
});
