import type { FunctionReturnType } from "convex/server";
import type { api } from "../../convex/_generated/api.js";

export type Job = FunctionReturnType<typeof api.jobs.list>[number];
