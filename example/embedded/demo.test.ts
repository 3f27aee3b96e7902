import { afterAll, beforeAll, expect, test } from "vitest";
import { exampleApp } from "./exampleApp.js";
import { type EmbeddedServer, startEmbedded } from "./server.js";
import { printTranscript } from "./transcript.js";

let server: EmbeddedServer;
beforeAll(async () => {
  server = await startEmbedded({ app: exampleApp, port: 0 });
});
afterAll(() => server.close());

test("the transcript shows what is granted, denied, reserved and run", async () => {
  const lines: string[] = [];
  await printTranscript(server.url, (line) => lines.push(line));
  expect(lines.map((line) => line.trim())).toEqual([
    expect.stringContaining("Three messages"),
    "messages.send one    -> granted",
    "messages.send two    -> granted",
    "messages.send three  -> granted",
    expect.stringMatching(
      /^messages.send four {3}-> denied, retry in [56]\.\d s$/,
    ),
    expect.stringContaining("One job every two seconds"),
    "jobs.add first       -> granted, runs now",
    expect.stringMatching(
      /^jobs.add second {6}-> reserved, runs in [12]\.\d s$/,
    ),
    expect.stringMatching(/^the second ran \d+ ms after its time$/),
  ]);
});
