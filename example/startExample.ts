import { generateKeyPairSync } from "node:crypto";
import { type App, startEmbedded } from "convex-embedded";
import { withPage } from "convex-embedded/page";
import { register } from "convex-rate-limiter/test";
import schema from "./convex/schema.js";

/**
 * The secret of the dashboard here, where no data is kept, unless RATE_LIMITS_SECRET is set. A
 * deployment has one of its own.
 */
const EXAMPLE_SECRET = "example-example-example";

const exampleApp: App = {
  schema,
  modules: import.meta.glob("./convex/**/*.{ts,js}"),
  components: [(t) => register(t)],
};

/** Starts the embedded server with this app, and its page. Any ports that are free will do. */
export async function startExample({
  port = 5173,
  convexPort = 3210,
  isWatched = false,
} = {}) {
  // Before the app's modules are loaded, since http.ts reads it then.
  process.env.RATE_LIMITS_SECRET ??= EXAMPLE_SECRET;
  const server = await startEmbedded({ app: exampleApp, port: convexPort });
  setUpAuth(server.siteUrl);
  return withPage(server, { root: import.meta.dirname, port, isWatched });
}

/** Sets what `npx @convex-dev/auth` sets on a deployment, with a new key to sign tokens. */
export function setUpAuth(siteUrl: string): void {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
  });
  Object.assign(process.env, {
    AUTH_LOG_LEVEL: "WARN",
    CONVEX_SITE_URL: siteUrl,
    JWT_PRIVATE_KEY: privateKey.export({ type: "pkcs8", format: "pem" }),
    JWKS: JSON.stringify({
      keys: [{ use: "sig", ...publicKey.export({ format: "jwk" }) }],
    }),
  });
}
