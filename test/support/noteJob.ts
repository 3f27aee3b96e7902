import {
  internalMutationGeneric,
  makeFunctionReference,
  type FunctionReference,
} from "convex/server";
import { v } from "convex/values";

/** A job for a host that has `noteModules`: it stores its text as a note. */
export const note = makeFunctionReference<"mutation">(
  "jobs:note",
) as unknown as FunctionReference<"mutation", "internal", { text: string }>;

const jobs = {
  note: internalMutationGeneric({
    args: { text: v.string() },
    handler: async (ctx, { text }) => {
      await ctx.db.insert("notes", { text });
    },
  }),
};

export const noteModules = { "./jobs.ts": async () => jobs };
