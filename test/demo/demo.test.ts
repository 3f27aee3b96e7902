import { expect, onTestFinished, test, vi } from "vitest";
import { startDemo } from "../../demo/startDemo.js";
import { printTranscript } from "../../demo/transcript.js";

test("the transcript shows what is granted, denied, reserved and run", async () => {
  const demo = await startDemo({ port: 0, convexPort: 0 });
  onTestFinished(() => demo.close());
  const lines: string[] = [];
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let isDone = false;
  const printed = printTranscript(demo.server.url, (line) =>
    lines.push(line),
  ).finally(() => (isDone = true));
  while (!isDone) {
    // The clock stands still until there is a job to wait for.
    if (lines.at(-1)?.includes("reserved")) vi.advanceTimersByTime(20);
    await new Promise(setImmediate);
  }
  await printed;
  expect(lines.map((line) => line.trim())).toEqual([
    expect.stringContaining("Three messages"),
    "messages.send one    -> granted",
    "messages.send two    -> granted",
    "messages.send three  -> granted",
    expect.stringMatching(
      /^messages.send four {3}-> denied, retry in \d\.\d s$/,
    ),
    expect.stringContaining("One job every two seconds"),
    "jobs.add first       -> granted, runs now",
    "jobs.add second      -> reserved, runs 2.0 s after the first",
    expect.stringMatching(/^the second has run, \d\.\d s after the first$/),
  ]);
});
