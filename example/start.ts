/** `npm run example`: this app in a browser, with Convex in this process. */
import { startExample } from "./startExample.js";

const { url, server, close } = await startExample({ isWatched: true });

const stop = () => {
  // Scheduled functions and open pages would keep the process alive.
  void close().finally(() => process.exit(0));
};
process.on("SIGINT", stop);
process.on("SIGTERM", stop);

console.log(`Convex  ${server.url}, in this process: when it stops, its data is gone.
Page    ${url}
Limits  ${server.siteUrl}/rate-limits/ (a dashboard; its secret here is ${process.env.RATE_LIMITS_SECRET})
Stop with Ctrl-C.`);
