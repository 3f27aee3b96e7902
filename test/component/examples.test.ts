import type { RateLimitConfig } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import { balanceOf, startApp } from "../support/startApp.js";
import { table } from "../support/table.js";

useStillClock();

const name = "example";

// Each step is the second in which it happens, a call with its count, and its answer in tokens or ms.
test.each(
  table(`
    a bucket of 20 refills by 10 a minute, and no further     | token bucket | 10  | 60    | "capacity": 20               | 1 take 5 granted, 1 look - 15, 10 look - 16.5, 31 look - 20, 60 look - 20
    a bucket of one grants every 100 ms, and no sooner        | token bucket | 10  | 1     | "capacity": 1                | 0 take 1 granted, 0.1 take 1 granted, 0.199 take 1 denied 1, 0.2 take 1 granted
    a reservation leaves a debt, which the next call awaits   | token bucket | 10  | 60    | "overrides": false           | 0 take 7 granted, 0 reserve 5 granted 12000, 0 look - -2, 0 take 1 denied 18000, 12 look - 0
    a reservation goes as deep into debt as maxReserved       | token bucket | 10  | 60    | "maxReserved": 50            | 0 reserve 60 granted 300000, 0 look - -50, 0 reserve 1 denied 6000
    with a capacity of 0 each reservation awaits its token    | token bucket | 10  | 60    | "capacity": 0                | 0 reserve 1 granted 6000, 0 reserve 1 granted 12000, 0 reserve 1 granted 18000
    a charge above the balance leaves a debt                  | token bucket | 100 | 60    | "capacity": 100              | 0 take 50 granted, 0 charge 150 60000, 0 look - -100, 30 take 1 denied 30600, 90 look - 50
    a credit never fills a limit above its capacity           | token bucket | 100 | 60    | "capacity": 100              | 0 take 10 granted, 0 credit 6 6, 0 look - 96, 0 credit 6 4, 0 look - 100
    a window adds its rate to what is left, up to capacity    | fixed window | 5   | 10    | "capacity": 20, "start": 0   | 0 take 5 granted, 0 look - 15, 10 look - 20, 15 take 18 granted, 20 look - 7
    a window grants the capacity, and the next one its rate   | fixed window | 5   | 10    | "capacity": 20, "start": 0   | 0 take 20 granted, 9.999 take 1 denied 1, 10 take 5 granted, 10 take 1 denied 10000
    a reservation of 4 waits for two windows of 3             | fixed window | 3   | 10    | "start": 0                   | 0 reserve 3 granted, 0 reserve 4 granted 20000
    days with a start of 7 h begin at 7:00 UTC                | fixed window | 1   | 86400 | "start": 25200000            | 0 take 1 granted, 0 take 1 denied 25200000, 25200 take 1 granted, 25200 take 1 denied 86400000
  `),
)("%s", async (_claim, kind, rate, seconds, more, steps) => {
  const app = startApp({
    [name]: {
      ...{ kind, rate: Number(rate), period: Number(seconds) * 1000 },
      ...(JSON.parse(`{${more}}`) as object),
    } as RateLimitConfig,
  });
  for (const step of steps.split(", ")) {
    const [at, verb, count, ...answer] = step.split(" ");
    vi.setSystemTime(MIDNIGHT + Number(at) * 1000);
    const [how, ms] = answer;
    const n = Number(ms ?? how);
    const request = { count: Number(count) };
    if (verb === "look") {
      expect(await balanceOf(app, name), step).toBeCloseTo(n, 6);
    } else if (verb === "charge") {
      expect(await app.charge(name, request), step).toEqual({ retryAfter: n });
    } else if (verb === "credit") {
      expect(await app.credit(name, request), step).toEqual({ credited: n });
    } else {
      const reserve = verb === "reserve";
      const asked = await app.limit(name, { ...request, reserve });
      const retryAfter = ms === undefined ? undefined : n;
      expect(asked, step).toEqual({ ok: how === "granted", retryAfter });
    }
  }
});
