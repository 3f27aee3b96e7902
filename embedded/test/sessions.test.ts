import { expect, test } from "vitest";
import type { MutationResponse } from "../src/protocol.js";
import { Sessions } from "../src/sessions.js";

const failure = (requestId: number): MutationResponse => ({
  type: "MutationResponse",
  requestId,
  success: false,
  result: "",
  logLines: [],
});

test("a mutation starts only when the one before it has ended", async () => {
  const session = new Sessions().open("a");
  const events: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const first = session.run(0, async () => {
    events.push("first starts");
    await released;
    events.push("first ends");
    return failure(0);
  });
  const second = session.run(1, async () => {
    events.push("second starts");
    return failure(1);
  });
  release();
  await Promise.all([first, second]);
  expect(events).toEqual(["first starts", "first ends", "second starts"]);
});

test("a session that is opened again by its id repeats its responses", async () => {
  const sessions = new Sessions();
  const response = failure(7);
  await sessions.open("a").run(7, async () => response);
  const again = sessions.open("a").run(7, async () => failure(8));
  expect(await again).toBe(response);
});
