/** What an app writes for what this part of the page does. */
export const CODE = `// Among your limits
answers: {
  kind: "fixed window",
  rate: 1000,
  period: "day",
},

// In your action
const held = await rateLimiter.hold(ctx, "answers", {
  key: userId,
  count: 300, // The most that it may cost.
});
if (!held.ok) return held;
const answer = await callModel(prompt);
// What it did cost: the rest comes back.
await rateLimiter.settle(ctx, held.id, {
  count: answer.tokens,
});
`;
