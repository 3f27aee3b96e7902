export type { App, Modules } from "./app.js";
export { identityFromToken } from "./caller.js";
export { type EmbeddedServer, startEmbedded } from "./server.js";
