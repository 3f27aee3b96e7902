import type { Settings } from "./settings.js";

const UNITS = [
  ["DAY", 86_400_000],
  ["HOUR", 3_600_000],
  ["MINUTE", 60_000],
  ["SECOND", 1000],
] as const;

/** The file that defines a limit of each kind with these numbers. */
export function definitionOf({ rate, period, capacity }: Settings): string {
  const [unit, ms] = UNITS.find(([, length]) => period % length === 0) ?? [
    "",
    1,
  ];
  const times = period / ms;
  const periodText =
    unit === "" ? period : times === 1 ? unit : `${times} * ${unit}`;
  const numbers = [
    `rate: ${rate},`,
    `period: ${periodText},`,
    ...(capacity === undefined ? [] : [`capacity: ${capacity},`]),
  ].join("\n    ");
  const imported = ["RateLimiter", unit].filter(Boolean).sort().join(", ");
  return `import { ${imported} } from "convex-rate-limiter";
import { components } from "./_generated/api";

export const rateLimiter = new RateLimiter(components.rateLimiter, {
  // Refills continuously.
  bucket: {
    kind: "token bucket",
    ${numbers}
  },
  // Refills all at once.
  window: {
    kind: "fixed window",
    ${numbers}
  },
});
`;
}
