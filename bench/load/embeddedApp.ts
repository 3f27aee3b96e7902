/// <reference types="vite/client" />
import type { App, Modules } from "convex-embedded";
import { register } from "convex-rate-limiter/test";
import { defineSchema } from "convex/server";
import { peer } from "../limiters.js";

/** The app of this folder, as the embedded server runs it. */
export const embeddedApp: App = {
  schema: defineSchema({}),
  modules: import.meta.glob("./convex/**/*.{ts,js}"),
  components: [
    (t) => register(t),
    (t) => {
      const { schema, modules } = peer;
      t.registerComponent("peer", schema, load(modules));
    },
  ],
};

function load(modules: Record<string, object>): Modules {
  const loaded = Object.entries(modules).map(([name, module]) => [
    `./${name}.ts`,
    () => Promise.resolve(module),
  ]);
  // convex-test finds the folder by this file.
  const generated = { "./_generated/api.js": () => Promise.resolve({}) };
  return { ...generated, ...(Object.fromEntries(loaded) as Modules) };
}
