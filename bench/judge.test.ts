import { expect, test } from "vitest";
import { live, type Life } from "./life.js";
import { seededRandom } from "./random.js";

const LIMIT = {
  kind: "token bucket",
  rate: 1,
  period: 60_000,
  applyUpdates: "asynchronously",
} as const;

const of = { name: "async", key: "a" };

test.each([-1e-5, 0, 1e-5])(
  "who begins %s ms after a commit becomes visible is judged by what it saw",
  async (laterMs) => {
    const [seed, executionMs] = [1, 10];
    const runs = executionMs * (0.6 + 0.8 * seededRandom(seed, "execution")());
    const [staleQueryMs, visibleAfterMs] = [3, 5];
    const visible = runs + staleQueryMs + visibleAfterMs;
    const life: Life = {
      limits: { async: LIMIT },
      mutations: [
        {
          after: 0,
          steps: [{ verb: "limit", of, ask: { count: 0.25, reserve: false } }],
          throws: false,
        },
        {
          after: visible + laterMs,
          steps: [{ verb: "getValue", of }],
          throws: false,
        },
      ],
      executionMs,
      jitterMs: 0,
      clockSteps: [],
      faults: {},
      seed,
    };
    await expect(live(life)).resolves.toBeUndefined();
  },
);
