import { HOUR, MINUTE } from "convex-rate-limiter";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { FUZZ_TIMEOUT_MS, requestsOf } from "../dashboard/requests.js";
import { newVisitor, serverNow } from "./visitor.js";

const { RATE_LIMITS_SECRET: secret = "" } = process.env;

type Override = { expiresAt?: number };

// A deployment has the secret in its own environment.
test.skipIf(secret === "")(
  "whatever is asked of the dashboard's routes, nothing fails or leaks, and what is refused changes nothing",
  { timeout: FUZZ_TIMEOUT_MS },
  async () => {
    const { visitor: key, http } = newVisitor();
    const now = await serverNow(http);
    const until = now + HOUR;
    const { aRequest, answered, run } = requestsOf({
      secret,
      bucket: "sendMessage",
      window: "invites",
      concurrency: "renders",
      now,
    });
    // As a text: a URL would resolve the paths that browsers do not send.
    const send = (path: string, init: RequestInit) =>
      fetch(`${inject("siteUrl")}${path}`, init);
    const ask = async (asked: object) => {
      const response = await send("/rate-limits/", {
        method: "POST",
        headers: {
          authorization: `Bearer ${secret}`,
          "content-type": "application/json",
        },
        body: JSON.stringify(asked),
      });
      expect(response.status).toBe(200);
      return (await response.json()) as { overrides: Override[] };
    };
    /** The overrides of the limits that requests name. */
    const stored = async () => {
      const pages = await Promise.all(
        ["sendMessage", "invites"].map((limit) =>
          ask({ ask: "overrides", limit, cursor: null }),
        ),
      );
      return pages.flatMap(({ overrides }) => overrides);
    };
    /** Those of them that do not end within the next minute. */
    const lasting = (overrides: Override[]) =>
      overrides.filter(
        ({ expiresAt = Infinity }) => expiresAt > Date.now() + MINUTE,
      );
    const named = { limit: "sendMessage", key };
    const once = crypto.randomUUID();
    await ask({ ask: "ban", ...named, until, note: "kept", once });
    const { overrides } = await ask({ ask: "key", ...named });
    expect(overrides).toHaveLength(1);
    let before = await stored();

    const property = fc.asyncProperty(aRequest, async (sent) => {
      const status = await answered(send, sent);
      const after = await stored();
      if (status !== 200) {
        expect(before).toEqual(expect.arrayContaining(after));
        expect(after).toEqual(expect.arrayContaining(lasting(before)));
      }
      before = after;
    });
    await run(property, 100);
    expect(await ask({ ask: "key", ...named })).toMatchObject({ overrides });
    await ask({ ask: "clear", ...named });
  },
);
