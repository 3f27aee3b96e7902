import { registerDashboard } from "convex-rate-limiter/dashboard";
import { httpRouter } from "convex/server";
import { DEMO_SECRET } from "./demoSecret.js";
import { rateLimiter } from "./rateLimiter.js";

const http = httpRouter();
registerDashboard(http, rateLimiter, { secret: DEMO_SECRET });

export default http;
