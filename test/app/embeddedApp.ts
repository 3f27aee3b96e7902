/// <reference types="vite/client" />
import type { App } from "convex-embedded";
import { register } from "convex-rate-limiter/test";
import schema from "./convex/schema.js";

/** The app of this folder, as the embedded server runs it. */
export const embeddedApp: App = {
  schema,
  modules: import.meta.glob("./convex/**/*.{ts,js}"),
  components: [(t) => register(t), (t) => register(t, "second")],
};
