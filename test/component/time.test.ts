import { expect, test } from "vitest";
import { components, startHost, useStillClock } from "../support/host.js";

useStillClock();

test("getServerTime returns the server's time", async () => {
  const told = await startHost().mutation((ctx) =>
    ctx.runMutation(components.rateLimiter.time.getServerTime, {}),
  );
  expect(told).toBe(Date.now());
});
