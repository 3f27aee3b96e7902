import { DAY, HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillClock,
} from "../support/host.js";

useStillClock();

const rateLimiter = new RateLimiter(components.rateLimiter, {
  bucket: { kind: "token bucket", rate: 10, period: MINUTE },
  window: { kind: "fixed window", rate: 10, period: HOUR },
  running: { kind: "concurrency", capacity: 10, lease: MINUTE },
});

test.each(["bucket", "window", "running"] as const)(
  "after a clock that ran a year ahead, list shows which keys of a %s were used then, and reset mends them",
  async (name) => {
    const t = startHost();
    const take = (key: string) =>
      t.mutation((ctx) =>
        name === "running"
          ? rateLimiter.hold(ctx, name, { key, count: 10 })
          : rateLimiter.limit(ctx, name, { key, count: 10 }),
      );
    vi.setSystemTime(MIDNIGHT + 365 * DAY);
    expect(await take("ahead")).toMatchObject({ ok: true });
    vi.setSystemTime(MIDNIGHT);
    await take("now");
    const now = MIDNIGHT + DAY;
    vi.setSystemTime(now);
    expect(await take("ahead")).toMatchObject({ ok: false });

    const listed = await t.run((ctx) =>
      rateLimiter.list(ctx, {
        name,
        paginationOpts: { numItems: 10, cursor: null },
      }),
    );
    const inFuture = listed.page.filter(({ usedAt }) => usedAt > now);
    expect(inFuture.map(({ key }) => key)).toEqual(["ahead"]);

    await t.mutation((ctx) => rateLimiter.reset(ctx, name, { key: "ahead" }));
    expect(await take("ahead")).toMatchObject({ ok: true });
  },
);
