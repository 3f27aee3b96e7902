/** What an app writes for what this part of the page does. */
export function codeOf(share: number, ahead: number): string {
  const starts =
    ahead === 0 ? "" : `\n  startsAt: Date.now() + ${ahead / 1000} * SECOND,`;
  return `// Among your limits
comment: {
  kind: "token bucket",
  rate: 1,
  period: MINUTE,
  enforce: 0, // A dry run for all.
  overrides: true,
},

// In a mutation for operators
await rateLimiter.setOverride(ctx, "comment", {
  config: { enforce: ${share} },${starts}
});
`;
}
