import {
  ipKey,
  isWriteConflictError,
  tooManyRequests,
} from "convex-rate-limiter";
import { describe, expect, test } from "vitest";
import { isInShare } from "../../src/core/limitKey.js";
import { requireShortString } from "../../src/core/checks.js";
import { truncateKey } from "../../src/core/stats.js";
import { admit, type Ctx } from "../../src/dashboard/access.js";
import { components } from "../support/host.js";

/** Of 2 kB; one of 32 kB is more than proxies and Convex let through in a header. */
const LENGTH = 2_000;
const TIMES = 16;

/** All runs of one character, or of two, that a pattern may read in more ways than one. */
const RUNS = [" ", "\t ", "0", "a", "1.", "a:", "::", "%", ",", "/", "\xa0"];

/** What comes after them, so that the pattern fails in the end: a space to some, and a letter. */
const ENDS = ["\xa0", "!"];

const ctx: Ctx = {
  runQuery: () => Promise.reject(new Error("It asks nothing.")),
  runMutation: async () => ({ ok: true }) as never,
  meta: { getRequestMetadata: async () => ({ ip: null }) } as Ctx["meta"],
};
const request = (headers: Record<string, string>) =>
  new Request("https://happy-otter-123.convex.site/rate-limits/", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
  });
const secret = "a secret for the tests alone";
const admitted = (headers: Record<string, string>) => {
  const asked = request(headers);
  return () => admit(ctx, asked, components.rateLimiter, { secret });
};

/** What reads a text before its sender is known. */
const readers: Record<string, (text: string) => () => unknown> = {
  "the header of the dashboard's secret": (text) =>
    admitted({ Authorization: `Bearer${text}` }),
  "the type of a body": (text) =>
    admitted({ "Content-Type": `application/json${text}` }),
  "an address": (text) => () => caught(() => ipKey(text)),
  "the end of an address": (text) => () => caught(() => ipKey(`::${text}`)),
  "a key": (text) => () => caught(() => requireShortString("api", "key", text)),
  "a key in a share": (text) => () => isInShare("api", text, 0.5),
  "a key that was denied": (text) => () => truncateKey(text),
  "the message of an error": (text) => () =>
    isWriteConflictError(new Error(text)),
  "a key in a header": (text) => () =>
    tooManyRequests(
      { ok: false, retryAfter: 1, limit: 1, remaining: 0, resetAfter: 1 },
      { name: "api", partitionKey: text },
    ),
};

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

/** Between linear growth, which is 1, and quadratic growth, which is 16. */
const MOST = 5;

/**
 * How much longer one text takes than short ones of the same length in total. A busy machine may
 * spoil a measurement, so a large one is repeated.
 */
async function growth(
  reader: (text: string) => () => unknown,
  run: string,
  end: string,
): Promise<number> {
  const text = (length: number) => run.repeat(length / run.length) + end;
  const [short, long] = [reader(text(LENGTH)), reader(text(LENGTH * TIMES))];
  let [apart, together] = [Infinity, Infinity];
  for (let i = 0; i < 3 || (i < 200 && together >= MOST * apart); i++) {
    const begin = performance.now();
    for (let j = 0; j < TIMES; j++) await short();
    const middle = performance.now();
    await long();
    apart = Math.min(apart, middle - begin);
    together = Math.min(together, performance.now() - middle);
  }
  return together / apart;
}

describe("the time to read untrusted text grows linearly with its length:", () => {
  test.each(Object.entries(readers))(
    "%s",
    async (_, reader) => {
      for (const run of RUNS) {
        for (const end of ENDS) {
          const grown = await growth(reader, run, end);
          expect(grown, JSON.stringify(run + end)).toBeLessThan(MOST);
        }
      }
    },
    60_000,
  );
});
