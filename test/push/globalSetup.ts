import path from "node:path";
import type { TestProject } from "vitest/node";
import { installPacked, removeApp, writeApp } from "./folder.js";
import { root } from "../root.js";
import { bundleApp, type Push } from "./push.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The app of test/app, with this package's sources. */
    app: Push;
    /** The example, which the repository's convex.json points at. */
    example: Push;
    /** An app that mounts the packed package twice. */
    packed: Push;
    /** The app for load on a deployment. */
    load: Push;
  }
}

export default async function bundleApps({ provide }: TestProject) {
  const [packed, app, example, load] = await Promise.all([
    bundlePacked(),
    bundleApp(path.join(root, "test/app")),
    bundleApp(root),
    bundleApp(path.join(root, "bench/load")),
  ]);
  provide("app", app);
  provide("example", example);
  provide("packed", packed);
  provide("load", load);
}

async function bundlePacked(): Promise<Push> {
  const folder = await writeApp({
    "convex/convex.config.ts": `
      import rateLimiter from "convex-rate-limiter/convex.config.js";
      import { defineApp } from "convex/server";

      const app = defineApp();
      app.use(rateLimiter);
      app.use(rateLimiter, { name: "another" });
      export default app;
    `,
    "convex/limits.ts": `
      import { MINUTE, RateLimiter } from "convex-rate-limiter";
      import { componentsGeneric, mutationGeneric } from "convex/server";
      import { v } from "convex/values";

      const components = componentsGeneric();
      const limits = { send: { kind: "token bucket", rate: 2, period: MINUTE } } as const;
      const limiters = {
        rateLimiter: new RateLimiter(components.rateLimiter as never, limits),
        another: new RateLimiter(components.another as never, limits),
      };
      export const send = mutationGeneric({
        args: { by: v.union(v.literal("rateLimiter"), v.literal("another")) },
        returns: v.boolean(),
        handler: async (ctx, { by }) => {
          const { ok } = await limiters[by].limit(ctx, "send");
          return ok;
        },
      });
    `,
  });
  try {
    await installPacked(folder);
    return await bundleApp(folder);
  } finally {
    await removeApp(folder);
  }
}
