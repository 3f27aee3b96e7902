import { expect, test } from "vitest";
import { ours } from "../../bench/limiters.js";
import type { Answered } from "../../sim/deployment.js";
import type { RateLimitOverride } from "convex-rate-limiter";
import { callAll, value, type Called } from "../support/simulatedCalls.js";

const of = { name: "api", key: "ada" };

const set = (time: number, more: object): Called => ({
  time,
  name: "verbs:setOverride",
  args: { ...of, override: { deny: true }, ...more },
});
const penalize = (time: number, note: string): Called => ({
  time,
  name: "verbs:penalize",
  args: { ...of, bans: [10_000, 20_000], forgetAfter: 60_000, note },
});
const list = (time: number): Called => ({
  time,
  name: "operators:listOverrides",
  args: { paginationOpts: { numItems: 9, cursor: null } },
});

/** What two overlapping calls leave, in each of which the second begins at another time. */
async function overlapped(
  call: (time: number, note: string) => Called,
  other = call,
) {
  const all: { notes: unknown[]; last: string; listed: RateLimitOverride[] }[] =
    [];
  let conflicts = 0;
  for (let offset = -24; offset <= 24; offset += 2) {
    const { answers } = await callAll(ours, [
      call(500, "first"),
      other(500 + offset, "second"),
      list(5000),
    ]);
    const [first, second] = answers as Answered[];
    conflicts += first!.conflicts + second!.conflicts;
    const last = first!.committedAt > second!.committedAt ? "first" : "second";
    const { page } = value<{ page: RateLimitOverride[] }>(answers[2]);
    all.push({ notes: page.map(({ note }) => note), last, listed: page });
  }
  return { all, conflicts };
}

test.each([
  ["lasts", {}],
  ["has an end", { expiresAt: Date.UTC(2100, 0) }],
  ["is to last", { startsAt: Date.UTC(2100, 0) }],
])(
  "of two overrides set at once, of which each %s, the last one stays",
  async (_, times) => {
    const { all, conflicts } = await overlapped((time, note) =>
      set(time, { ...times, note }),
    );
    for (const { notes, last } of all) expect(notes).toEqual([last]);
    expect(conflicts).toBeGreaterThan(0);
  },
);

test("of two bans at once, the second counts the first", async () => {
  const { all, conflicts } = await overlapped(penalize);
  for (const { listed, last } of all) {
    expect(listed).toMatchObject([{ bans: 2, note: last }]);
  }
  expect(conflicts).toBeGreaterThan(0);
});

test("a ban and an override set at once both stay, without a conflict", async () => {
  const { all, conflicts } = await overlapped(
    (time, note) => set(time, { note }),
    penalize,
  );
  for (const { notes } of all) expect(notes).toEqual(["first", "second"]);
  expect(conflicts).toBe(0);
});
