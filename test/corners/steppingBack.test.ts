import { expect, test, vi } from "vitest";
import { MIDNIGHT, useStillClock } from "../host.js";
import { agreedBalance, balanceOf, startApp } from "./app.js";

useStillClock();

test("by a clock that stepped back, the balance that is told counts a lease that is held again", async () => {
  const render = { kind: "concurrency", capacity: 3, lease: 1000 } as const;
  const app = startApp({ render });
  const key = "k";
  const hold = () =>
    app.mutate((ctx) => app.limiter.hold(ctx, "render", { key }));
  await hold();
  vi.setSystemTime(MIDNIGHT + 1000);
  await hold();
  expect(await agreedBalance(app, "render", { key })).toBe(2);
  vi.setSystemTime(MIDNIGHT + 999);
  expect(await balanceOf(app, "render", { key })).toBe(1);
  expect(await agreedBalance(app, "render", { key })).toBe(1);
});
