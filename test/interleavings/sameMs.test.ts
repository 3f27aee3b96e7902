import { expect, onTestFinished, test, vi } from "vitest";
import { useStillClock } from "../support/host.js";
import { balanceOf, bucket, startApp } from "../support/startApp.js";

useStillClock();

// Fails: each row stamps holds by itself, so those on two rows in one ms have the same stamp.
test.fails(
  "a hold on a row does not get the room of a later one on another row",
  async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0);
    onTestFinished(() => random.mockRestore());
    const app = startApp({ api: bucket(4, 2) });
    const id = await app.held("api", { count: 2 });
    // No room is left: nothing of the hold is to come back.
    await app.credit("api", { count: 2 });
    await app.held("api", { count: 2 });
    await app.release(id);
    expect(await balanceOf(app, "api")).toBe(2);
  },
);
