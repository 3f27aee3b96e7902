/// <reference types="vite/client" />
import type { App, Modules } from "convex-embedded";
import { register } from "convex-rate-limiter/test";
import { peer } from "../limiters.js";
import schema from "./convex/schema.js";

/** The app of this folder, as the embedded server runs it. */
export const embeddedApp: App = {
  schema,
  modules: import.meta.glob("./convex/**/*.{ts,js}"),
  components: [
    (t) => register(t),
    (t) => {
      const { modules } = peer;
      t.registerComponent("peer", peer.schema, load(modules));
      for (const [name, child] of Object.entries(peer.components ?? {})) {
        const path = `peer/${name}`;
        t.registerComponent(path, child.schema, load(child.modules));
      }
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
