import { cronJobs } from "convex/server";
import { internal } from "./_generated/api.js";

const crons = cronJobs();

crons.interval("watch the rate limits", { minutes: 5 }, internal.alerts.watch);

export default crons;
