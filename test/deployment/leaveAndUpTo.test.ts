import { expect, test } from "vitest";
import { expectDeniedUntil, newLimit } from "./visitor.js";

const DAY = 86_400_000;

const config = { kind: "token bucket", rate: 10, period: DAY } as const;

test("a request with leave is denied where one without it is granted", async () => {
  const { takeWithDetails: take } = newLimit(config);
  await take();
  expect(await take({ count: 3, leave: 7 })).toMatchObject({ ok: false });
  expect(await take({ count: 2, leave: 7 })).toMatchObject({
    ok: true,
    remaining: 7,
  });
  expect(await take({ leave: 7 })).toMatchObject({ ok: false });
  expect(await take({ count: 7 })).toMatchObject({ ok: true, remaining: 0 });
});

test("a request with upTo takes what there is, and is denied if there is nothing", async () => {
  const { http, takeUpTo, getValue } = newLimit(config);
  expect(await takeUpTo(4)).toMatchObject({ ok: true, taken: 4 });
  expect(await takeUpTo(100)).toMatchObject({ ok: true, taken: 6 });
  const { value, ts } = await getValue();
  const tokenAt = ts + Math.ceil(((1 - value) * DAY) / 10);
  await expectDeniedUntil(http, tokenAt, () => takeUpTo(100));
});
