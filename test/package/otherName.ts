/*
 * An app that knows this package only by the name of the incumbent, and uses a component that
 * depends on the incumbent: `@convex-dev/resend`, which wants its version ^0.3.0.
 */

import { tsconfig } from "./tsconfig.js";

/** The files of the app. */
export const otherNameApp = {
  "tsconfig.json": tsconfig,
  "vitest.config.ts": `
    import { defineConfig } from "vitest/config";

    const inline = ["convex-test", /@convex-dev/];
    export default defineConfig({ test: { server: { deps: { inline } } } });
  `,
  "letters.test.ts": `
    import { register } from "@convex-dev/rate-limiter/test";
    import resend from "@convex-dev/resend/test";
    import workpool from "@convex-dev/workpool/test";
    import { convexTest } from "convex-test";
    import { defineSchema, makeFunctionReference } from "convex/server";
    import { expect, test, vi } from "vitest";

    test("the third letter is denied, and two are delivered", async () => {
      vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
      const delivered = [];
      vi.stubGlobal("fetch", async (_url, { body }) => {
        const letters = JSON.parse(body);
        delivered.push(...letters.map(({ to }) => to));
        return Response.json({ data: letters.map((_, i) => ({ id: "sent-" + i })) });
      });
      const t = convexTest(defineSchema({}), {
        "./convex/_generated/api.ts": async () => ({}),
        "./convex/letters.ts": () => import("./convex/letters"),
      });
      register(t);
      resend.register(t);
      register(t, "resend/rateLimiter");
      workpool.register(t, "resend/emailWorkpool");
      workpool.register(t, "resend/callbackWorkpool");
      const send = (to) => t.mutation(makeFunctionReference("letters:send"), { to });
      expect(await send("ann@example.com")).toBe(true);
      expect(await send("bob@example.com")).toBe(true);
      expect(await send("cid@example.com")).toBe(false);
      for (let i = 0; i < 50 && delivered.length < 2; i++) {
        vi.advanceTimersToNextTimer();
        await t.finishInProgressScheduledFunctions();
      }
      expect(delivered.sort()).toEqual([["ann@example.com"], ["bob@example.com"]]);
    });
  `,
  "convex/convex.config.ts": `
    import rateLimiter from "@convex-dev/rate-limiter/convex.config.js";
    import resend from "@convex-dev/resend/convex.config.js";
    import { defineApp } from "convex/server";

    const app = defineApp();
    app.use(rateLimiter);
    app.use(resend);
    export default app;
  `,
  "convex/letters.ts": `
    import { MINUTE, RateLimiter } from "@convex-dev/rate-limiter";
    import type { ComponentApi } from "@convex-dev/rate-limiter/_generated/component.js";
    import { Resend } from "@convex-dev/resend";
    import type { ComponentApi as ResendApi } from "@convex-dev/resend/_generated/component.js";
    import { componentsGeneric, mutationGeneric } from "convex/server";
    import { v } from "convex/values";

    const components = componentsGeneric() as unknown as {
      rateLimiter: ComponentApi<"rateLimiter">;
      resend: ResendApi<"resend">;
    };
    const rateLimiter = new RateLimiter(components.rateLimiter, {
      letters: { kind: "token bucket", rate: 2, period: MINUTE },
    });
    const resend = new Resend(components.resend, { apiKey: "re_test", testMode: false });

    export const { getRateLimit, getServerTime } = rateLimiter.hookAPI("letters");
    export const send = mutationGeneric({
      args: { to: v.string() },
      returns: v.boolean(),
      handler: async (ctx, { to }) => {
        const { ok } = await rateLimiter.limit(ctx, "letters");
        if (!ok) return false;
        const letter = { from: "app@example.com", to, template: { id: "hello" } };
        await resend.sendEmail(ctx, letter);
        return true;
      },
    });
  `,
  "convex/tests.ts": `
    import { register } from "@convex-dev/rate-limiter/test";
    import { useRateLimit } from "@convex-dev/rate-limiter/react";

    export const others = { register, useRateLimit };
  `,
};
