import { type App, startEmbedded } from "convex-embedded";
import { withPage } from "convex-embedded/page";
import { register } from "convex-rate-limiter/test";
import schema from "./convex/schema.js";

/** The host app in `demo/convex`, with the rate limiter mounted under its default name. */
export const demoApp: App = {
  schema,
  modules: import.meta.glob("./convex/**/*.{ts,js}"),
  components: [(t) => register(t)],
};

export type Demo = Awaited<ReturnType<typeof startDemo>>;

/** Starts the embedded server with this app, and its page: see {@link withPage}. */
export async function startDemo({
  port = 5173,
  convexPort = 3210,
  isWatched = false,
  onCron,
}: {
  port?: number;
  convexPort?: number;
  isWatched?: boolean;
  /** Called with the name of a cron's function whenever it has run. */
  onCron?: (name: string) => void;
} = {}) {
  const server = await startEmbedded({
    app: demoApp,
    port: convexPort,
    onCron,
  });
  return withPage(server, { root: import.meta.dirname, port, isWatched });
}
