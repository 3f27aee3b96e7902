import { expect, onTestFinished, test, vi } from "vitest";
import { useStillClock } from "../support/host.js";
import { balanceOf, bucket, startApp } from "../support/startApp.js";

useStillClock();

// Fails, since each row stamps its holds by itself: two of one ms, on two rows, have one stamp.
test.fails("a hold gets no room of a later hold on another row", async () => {
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
  const app = startApp({ api: bucket(4, 2) });
  const id = await app.held("api", { count: 2 });
  await app.credit("api", { count: 2 });
  await app.held("api", { count: 2 });
  await app.release(id);
  expect(await balanceOf(app, "api")).toBe(2);
});
