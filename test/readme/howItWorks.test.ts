import { calculateRateLimit } from "convex-rate-limiter";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { root } from "../support/root.js";
import { Page, repeat } from "./page.js";

const START = Date.UTC(2026, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Where the line of a picture turns, as the numbers at its axes say. */
function lineOf(
  picture: string,
  { x0, perX, y0, perY }: Record<"x0" | "perX" | "y0" | "perY", number>,
): { at: number; value: number }[] {
  const svg = readFileSync(`${root}docs/${picture}`, "utf8");
  const [, points] = /<polyline class="line" points="([^"]*)"/.exec(svg)!;
  return points!.split(" ").map((point) => {
    const [x, y] = point.split(",").map(Number);
    return { at: (x! - x0) / perX, value: (y0 - y!) / perY };
  });
}

test("the first picture shows the balance of the page's limit", async () => {
  const page = new Page("docs/how-it-works.md");
  const t = page.start();
  const limits = page.limits<"sendMessage">();
  const answers: unknown[] = [];
  const drawn = lineOf("balance.svg", { x0: 34, perX: 13, y0: 190, perY: 50 });
  const expectDrawn = async (seconds: number) => {
    const stored = await t.query((ctx) => limits.getValue(ctx, "sendMessage"));
    const now = START + 1_000 * seconds;
    const { value } = calculateRateLimit(stored, stored.config, now);
    const values = drawn.filter(({ at }) => Math.abs(at - seconds) < 0.01);
    expect(values.at(-1)!.value).toBeCloseTo(value, 2);
  };
  for (const seconds of [2, 4, 6, 7, 8]) {
    vi.setSystemTime(START + 1_000 * seconds);
    answers.push(await t.mutation((ctx) => limits.limit(ctx, "sendMessage")));
    if (seconds !== 7) await expectDrawn(seconds);
  }
  expect(answers).toEqual([
    { ok: true },
    { ok: true },
    { ok: true },
    { ok: false, retryAfter: 1_000 },
    { ok: true },
  ]);
  for (const seconds of [26, 28]) await expectDrawn(seconds);
});

test("the third picture shows when four mails may run, and the debt that they leave", async () => {
  const page = new Page("docs/how-it-works.md");
  const t = page.start();
  const limits = page.limits<"email">();
  const reserve = () =>
    t.mutation((ctx) => limits.limit(ctx, "email", { reserve: true }));
  const answers = await repeat(4, reserve);
  expect(answers.map(({ retryAfter = 0 }) => retryAfter)).toEqual([
    0, 100, 200, 300,
  ]);
  const { value } = await t.query((ctx) => limits.getValue(ctx, "email"));
  const scale = { x0: 60, perX: 0.8, y0: 76, perY: 36 };
  expect(lineOf("reservation.svg", scale)).toEqual([
    { at: 0, value: 1 },
    { at: 0, value },
    { at: 400, value: 1 },
    { at: 430, value: 1 },
  ]);
});
