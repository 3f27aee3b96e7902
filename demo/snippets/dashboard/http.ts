import { registerDashboard } from "convex-rate-limiter/dashboard";
import { httpRouter } from "convex/server";
import { rateLimiter } from "./rateLimiter";

const http = httpRouter();
registerDashboard(http, rateLimiter, {
  // Set it with `npx convex env set`.
  secret: process.env.RATE_LIMITS_SECRET,
});

export default http;
