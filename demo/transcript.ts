import { ConvexHttpClient } from "convex/browser";
import { isRateLimitError } from "convex-rate-limiter";
import { api } from "./convex/_generated/api.js";

const POLL_INTERVAL_MS = 20;

/** Makes some calls as any client would, and prints what each of them answered. */
export async function printTranscript(
  url: string,
  print: (line: string) => void = console.log,
): Promise<void> {
  const client = new ConvexHttpClient(url, { logger: false });
  const session = "transcript";

  print("Three messages at once are allowed, ten a minute in the long run:");
  for (const text of ["one", "two", "three", "four"]) {
    const answer = await send(client, session, text);
    print(`  messages.send ${text.padEnd(6)} -> ${answer}`);
  }

  print("One job every two seconds; the next one reserves its time:");
  let firstDueAt = 0;
  for (const label of ["first", "second"]) {
    const job = await client.mutation(api.jobs.add, { session, label });
    if (!job.ok) throw new Error(denied(job.retryAfter));
    const answer =
      label === "first"
        ? "granted, runs now"
        : `reserved, runs ${seconds(job.dueAt - firstDueAt)} after the first`;
    if (label === "first") firstDueAt = job.dueAt;
    print(`  jobs.add ${label.padEnd(6)}      -> ${answer}`);
  }
  const ranAt = await lastRun(client, session);
  print(
    `  the second has run, ${seconds(ranAt - firstDueAt)} after the first\n`,
  );
}

async function send(
  client: ConvexHttpClient,
  session: string,
  text: string,
): Promise<string> {
  try {
    await client.mutation(api.messages.send, { session, text });
    return "granted";
  } catch (error) {
    if (!isRateLimitError(error)) throw error;
    return denied(error.data.retryAfter);
  }
}

/** Waits for the newest job to have run, and says when that was. */
async function lastRun(
  client: ConvexHttpClient,
  session: string,
): Promise<number> {
  for (;;) {
    const [job] = await client.query(api.jobs.list, { session });
    if (job?.ranAt !== undefined) return job.ranAt;
    const wait = job === undefined ? 0 : job.dueAt - Date.now();
    const ms = Math.max(wait, POLL_INTERVAL_MS);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

function denied(retryAfterMs: number): string {
  return `denied, retry in ${seconds(retryAfterMs)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
