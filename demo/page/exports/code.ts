import type { Plan, Who } from "../../convex/exports.js";

const OPTIONS: Record<Who, string[]> = {
  free: ["count: 20", "leave: 20, // For paying users."],
  paying: ["count: 20"],
  job: ["count: 50", "upTo: true", "leave: 20"],
};

/** What an app writes for what this part of the page does. */
export function codeOf(
  { period, timeZone, weekStart }: Plan,
  who: Who,
): string {
  const fields = [
    `kind: "fixed window"`,
    "rate: 100",
    `period: "${period}"`,
    ...(period === "week" ? [`weekStart: "${weekStart}"`] : []),
    `timeZone: "${timeZone}"`,
  ];
  const options = ["key: customerId", ...OPTIONS[who]].map((line) =>
    line.includes("//") ? line : `${line},`,
  );
  return `// Among your limits
exports: {
  ${fields.join(",\n  ")},
},

// In your mutation
const status = await rateLimiter.limit(ctx, "exports", {
  ${options.join("\n  ")}
});
if (!status.ok) {
  return { opensAt: Date.now() + status.retryAfter };
}
${who === "job" ? "await exportAll(waiting.slice(0, status.taken));\n" : ""}`;
}
