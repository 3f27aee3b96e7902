import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { rateLimited } from "convex-rate-limiter/helpers";
import { makeFunctionReference } from "convex/server";
import { describe, expect, test } from "vitest";
import {
  components,
  inBoth,
  startHost,
  storedRows,
  useStillClock,
} from "../support/host.js";
import { verbsOfKey } from "../support/verbsOfKey.js";

useStillClock();

const plain = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const limits = {
  message: { ...plain, requireKey: true, overrides: true, stats: true },
  render: {
    kind: "concurrency",
    capacity: 3,
    lease: MINUTE,
    requireKey: true,
  },
} as const;
const limiter = new RateLimiter(components.rateLimiter, limits);

describe("a limit that requires a key", () => {
  test.each(Object.entries(verbsOfKey))(
    "throws without a key, and takes nothing: %s",
    async (_, call) => {
      const t = startHost();
      await inBoth(t, async (ctx) => {
        for (const [key, said] of [
          [{}, "undefined"],
          [{ key: undefined }, "undefined"],
          [{ key: "" }, "empty"],
        ] as const) {
          // What code without types may do.
          const asked = call(limiter, ctx, key as { key: string });
          await expect(asked).rejects.toThrow(
            new RegExp(
              `^Rate limit (message|render): it has requireKey, and the key is ${said}\\. The key must be a non-empty string: pass \\{ key: userId \\}, for example\\.$`,
            ),
          );
        }
      });
      expect(await storedRows(t)).toEqual([]);
    },
  );

  test("serves a key", async () => {
    await startHost().run(async (ctx) => {
      const key = { key: "ann" };
      expect(await limiter.limit(ctx, "message", key)).toEqual({ ok: true });
      const { value, config } = await limiter.getValue(ctx, "message", key);
      expect(value).toBe(9);
      expect(config).not.toHaveProperty("requireKey");
      expect((await limiter.hold(ctx, "render", key)).ok).toBe(true);
    });
  });

  test("needs none for overrides, stats or lists", async () => {
    await startHost().run(async (ctx) => {
      await limiter.setOverride(ctx, "message", { deny: true });
      const range = { from: 0, to: MINUTE };
      await limiter.stats(ctx, "message", { ...range, by: "minute" });
      await limiter.topDenied(ctx, "message", range);
      const paginationOpts = { numItems: 10, cursor: null };
      await limiter.list(ctx, { name: "message", paginationOpts });
      const { page } = await limiter.listOverrides(ctx, { paginationOpts });
      expect(page).toMatchObject([{ name: "message" }]);
      await limiter.clearOverride(ctx, "message");
    });
  });

  test("throws when the module loads if no call could have a key", () => {
    const said = "Rate limit message: it has requireKey, and the key is";
    // What code without types may do.
    for (const key of [undefined, null]) {
      expect(() =>
        limiter.hookAPI("message", { key: key as unknown as string }),
      ).toThrow(`${said} ${key}.`);
    }
    expect(() => limiter.hookAPI("message", { key: "" })).toThrow(
      `${said} empty.`,
    );
    expect(() => rateLimited(limiter, "message", { key: undefined })).toThrow(
      `${said} undefined.`,
    );
    limiter.hookAPI("message", { key: "ann" });
    rateLimited(limiter, "message", { key: () => "ann" });
  });

  test.each([null, ""])(
    "does not answer a hook whose key function returns %j",
    async (key) => {
      const api = limiter.hookAPI("message", {
        key: () => key as string,
      });
      const t = startHost({ modules: { "./limits.ts": async () => api } });
      await expect(
        t.query(makeFunctionReference<"query">("limits:getRateLimit")),
      ).rejects.toThrow("it has requireKey");
    },
  );
});
