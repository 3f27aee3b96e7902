/** What limits the chat, as the README has it. */
export const FIVE_LINES = `// convex/rateLimiter.ts
export const rateLimiter = new RateLimiter(components.rateLimiter, {
  // Three messages at once, then one every six seconds.
  sendMessage: { kind: "token bucket", rate: 10, period: MINUTE, capacity: 3 },
});

// convex/messages.ts, in your mutation
await rateLimiter.limit(ctx, "sendMessage", { key: userId, throws: true });

// In your component, for the button
const { status } = useRateLimit(api.messages.getRateLimit);
`;
