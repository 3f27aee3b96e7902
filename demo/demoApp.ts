import { register } from "convex-rate-limiter/test";
import schema from "./convex/schema.js";
import type { App } from "../embedded/app.js";

/** The host app in `demo/convex`, with the rate limiter mounted under its default name. */
export const demoApp: App = {
  schema,
  modules: import.meta.glob("./convex/**/*.{ts,js}"),
  components: [(t) => register(t)],
};
