import { createInterface } from "node:readline/promises";
import type { LoadOptions } from "./options.js";

const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

/** Throws unless the deployment is local or somebody agrees to load it. */
export async function requireConsent(
  url: string,
  {
    yes,
    pushes,
    calls,
    callSeconds,
  }: Pick<LoadOptions, "yes" | "pushes" | "calls" | "callSeconds">,
  terminal: { isTTY: boolean; ask: (question: string) => Promise<string> },
): Promise<void> {
  if (yes || LOCAL.includes(new URL(url).hostname)) return;
  const what =
    (pushes ? "a push in place of the app that is there, and " : "") +
    `some ${calls} calls to ${url}, in more than ${callSeconds} seconds`;
  if (!terminal.isTTY) {
    throw new Error(`${what}: pass --yes to go on without being asked.`);
  }
  const answer = await terminal.ask(
    `This makes ${what}, and you pay for it. Go on? (y/N) `,
  );
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error("Nothing was sent.");
}

export const terminal = {
  // `isTTY` is absent without a terminal.
  isTTY: process.stdin.isTTY === true,
  ask: async (question: string) => {
    const { stdin: input, stderr: output } = process;
    const lines = createInterface({ input, output });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  },
};
