import { expect, test } from "vitest";
import { describe as describeAnswer } from "../../demo/page/exports/describe.js";

const MINUTE = 60_000;
const midnight = Date.UTC(2026, 10, 30, 23);
const place = {
  now: midnight - 10 * MINUTE,
  timeZone: "Europe/Berlin",
  city: "Berlin",
};

test("an answer says who was granted, and how many the job took", () => {
  const taken = (wanted: number, taken: number) =>
    ({ ok: true, wanted, taken }) as const;
  expect([
    describeAnswer("free", taken(20, 20), place),
    describeAnswer("paying", taken(20, 20), place),
    describeAnswer("job", taken(50, 50), place),
    describeAnswer("job", taken(50, 7), place),
  ]).toEqual([
    "Granted to a free user.",
    "Granted to a paying user.",
    "The job took all 50.",
    "The job took 7 of 50.",
  ]);
});

test.each([-300, 0, 300])(
  "a denial names the minute at which the window begins, by a clock that is %d ms off",
  (off) => {
    const denied = { ok: false, wanted: 20, retryAfter: 10 * MINUTE } as const;
    const answer = { ...place, now: place.now + off };
    expect(describeAnswer("free", denied, answer)).toBe(
      "Denied: 20 are for paying users. Try again on 1 Dec, 00:00 in Berlin.",
    );
  },
);
