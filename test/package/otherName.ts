/*
 * An app that knows this package only by the name of the incumbent, and uses a component that
 * depends on the incumbent: `@convex-dev/resend`, which wants its version ^0.3.0.
 */

const OTHER = "@convex-dev/rate-limiter";

/** The files of the app, with this package at `rateLimiter`. */
export const otherNameApp = (rateLimiter: string, convex: string) => ({
  "package.json": JSON.stringify({
    type: "module",
    private: true,
    dependencies: {
      [OTHER]: rateLimiter,
      "@convex-dev/resend": "0.2.8",
      convex,
    },
    overrides: { [OTHER]: `$${OTHER}` },
  }),
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      target: "ES2022",
      lib: ["ES2023", "DOM", "DOM.Iterable"],
      module: "ESNext",
      moduleResolution: "Bundler",
      strict: true,
      noEmit: true,
      types: [],
      skipLibCheck: true,
    },
    include: ["convex"],
  }),
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
});
