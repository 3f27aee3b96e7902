import { cronJobs } from "convex/server";
import { internal } from "./_generated/api.js";

const crons = cronJobs();

crons.interval("vacuum", { hours: 1 }, internal.jobs.vacuum, {});

export default crons;
