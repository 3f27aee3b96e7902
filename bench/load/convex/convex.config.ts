import peer from "@convex-dev/rate-limiter/convex.config.js";
import rateLimiter from "convex-rate-limiter/convex.config.js";
import { defineApp } from "convex/server";

const app = defineApp();
app.use(rateLimiter);
app.use(peer, { name: "peer" });

export default app;
