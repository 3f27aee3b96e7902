import {
  calculateRateLimit,
  HOUR,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { MIDNIGHT, storedRows, useStillClock } from "../support/host.js";
import {
  hundredADay,
  hotRow,
  RULE,
  startHot,
  storeHotRows,
  TREE,
} from "../support/splitting.js";
import { deployed } from "../support/startApp.js";

useStillClock();

async function startSplit(config?: RateLimitConfig) {
  const app = startHot(config);
  await storeHotRows(app.t, TREE);
  return app;
}

describe("a limit of 100 that is split over six rows, which hold 60", () => {
  test("is listed with the tokens of each row, whether or not list knows its config", async () => {
    const { t } = await startSplit();
    for (const app of [deployed(t, { hot: hundredADay }), deployed(t, {})]) {
      expect(await app.listed("hot")).toMatchObject({
        balance: 60,
        shards: [5, 20, 5, 5, 5, 20],
      });
    }
  });

  // Of 25 tokens, two rows hold 20 and one holds 5; of 25 thirds, three hold 5.
  test.each<[hours: number, expected: number]>([
    [0, 60],
    [1, 60 + 100 / 24],
    [12, 17.5 + 25 + 25 + 25],
    [20, 100],
  ])(
    "has the balance that a client projects from a getValue of %i hours ago",
    async (hours, expected) => {
      const { getValue, balance } = await startSplit();
      const shown = await getValue("hot");
      vi.setSystemTime(MIDNIGHT + hours * HOUR);
      const { value } = calculateRateLimit(shown, shown.config, Date.now());
      expect(value).toBeCloseTo(expected, 6);
      expect(await balance()).toBeCloseTo(expected, 6);
    },
  );
});

test("row 0 shows later calls of a mutation that it was written, whatever wrote it", async () => {
  const config = {
    ...hundredADay,
    rate: 50,
    period: 1000,
    shards: "auto",
  } as const;
  const { t, limiter, mutate } = startHot(config);
  const at = BigInt(MIDNIGHT - 5) * 1_000_000n;
  const used = {
    ts: MIDNIGHT - 15,
    usedAt: MIDNIGHT - 15,
    at,
  };
  // By another rule, so that the first call gathers the rows.
  await storeHotRows(t, [
    hotRow(0, 0, { ...used, into: 4, rule: RULE }),
    ...[1, 2, 3, 4].map((shard) => hotRow(shard, 0.25, used)),
  ]);
  await mutate(async (ctx) => {
    await limiter.limit(ctx, "hot", { count: 0.2 });
    await limiter.limit(ctx, "hot", { reserve: true });
  });
  const rows = await storedRows(t);
  for (const row of rows) expect(row.at).toBeTypeOf("bigint");
});
