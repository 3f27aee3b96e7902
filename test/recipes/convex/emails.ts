import { RateLimiter, SECOND } from "convex-rate-limiter";
import { v } from "convex/values";
import { components, internal } from "./_generated/api.js";
import { internalAction, internalMutation } from "./_generated/server.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  // A capacity of 1 allows no burst: one every 100 ms.
  email: { kind: "token bucket", rate: 10, period: SECOND, capacity: 1 },
});

export const sendAll = internalMutation({
  args: { addresses: v.array(v.string()), text: v.string() },
  handler: async (ctx, { addresses, text }) => {
    for (const address of addresses) {
      await rateLimiter.schedule(ctx, "email", {
        fn: internal.emails.send,
        args: { address, text },
      });
    }
  },
});

export const send = internalAction({
  args: { address: v.string(), text: v.string() },
  handler: async (_ctx, email) => {
    await fetch("https://mail.example.com/send", {
      method: "POST",
      body: JSON.stringify(email),
    });
  },
});
