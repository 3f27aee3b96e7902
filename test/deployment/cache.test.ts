import { calculateRateLimit } from "convex-rate-limiter";
import { expect, inject, test } from "vitest";
import { newLimit, serverNow, serverReaches } from "./visitor.js";

const SECOND = 1_000;

/** How long a deployment answers a query that reads the clock from its cache. */
const CACHED_FOR = 17 * SECOND;

test.skipIf(inject("isEmbedded"))(
  "a check in a query can come from a cache for 17 s; a balance with a mutation's clock is right at once",
  async () => {
    const config = {
      kind: "token bucket",
      rate: 1,
      period: 2 * SECOND,
      capacity: 3,
    } as const;
    const { http, take, check, checkByQuery, getValue } = newLimit(config);
    await take({ count: 3 });
    const denied = await checkByQuery();
    const askedBy = await serverNow(http);
    expect(denied.ok).toBe(false);

    const { ts } = await getValue();
    await serverReaches(http, ts + config.period);
    expect(await checkByQuery()).toEqual(denied);
    expect(await check()).toEqual({ ok: true });
    const now = await serverNow(http);
    const { value } = calculateRateLimit(await getValue(), config, now);
    expect(value).toBe(Math.min(3, (now - ts) / config.period));

    await expect
      .poll(() => serverNow(http), { interval: SECOND, timeout: 60 * SECOND })
      .toBeGreaterThan(askedBy + CACHED_FOR);
    expect(await checkByQuery()).toEqual({ ok: true });
  },
);
