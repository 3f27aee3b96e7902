/// <reference types="vite/client" />
import { register } from "convex-rate-limiter/test";
import type { App } from "../../embedded/app.js";
import schema from "./convex/schema.js";

/** The app of this folder, as the embedded server runs it. */
export const embeddedApp: App = {
  schema,
  modules: import.meta.glob("./convex/**/*.{ts,js}"),
  components: [(t) => register(t)],
};
