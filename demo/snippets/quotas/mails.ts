import { v } from "convex/values";
import { internalMutation } from "./_generated/server";

export const send = internalMutation({
  args: { key: v.optional(v.string()), remaining: v.number() },
  handler: async (ctx, mail) => {
    console.log(
      `To ${mail.key}: ${mail.remaining} exports are left.`,
    );
  },
});
