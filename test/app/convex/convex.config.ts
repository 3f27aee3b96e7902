import rateLimiter from "convex-rate-limiter/convex.config.js";
import { defineApp } from "convex/server";

const app = defineApp();
app.use(rateLimiter);
app.use(rateLimiter, { name: "second" });

export default app;
