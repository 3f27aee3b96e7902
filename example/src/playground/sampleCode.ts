import type { PlaygroundConfig } from "../../convex/playground.js";

const UNITS = [
  ["DAY", 86_400_000],
  ["HOUR", 3_600_000],
  ["MINUTE", 60_000],
  ["SECOND", 1000],
] as const;

/** The code that a config and a call correspond to. */
export function sampleCode(
  config: PlaygroundConfig,
  count: number,
  reserve: boolean,
): string {
  const period = periodCode(config.period);
  const imports = ["RateLimiter", ...(period.unit ?? [])].sort();
  const fields = Object.entries(config)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      name === "period"
        ? `period: ${period.code}`
        : `${name}: ${JSON.stringify(value)}`,
    );
  const options = [
    "key: userId",
    ...(count === 1 ? [] : [`count: ${count}`]),
    ...(reserve ? ["reserve: true"] : []),
  ];
  return `import { ${imports.join(", ")} } from "convex-rate-limiter";
import { components } from "./_generated/api";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  myLimit: {
    ${fields.join(",\n    ")},
  },
});

// In a mutation:
const { ok, retryAfter } = await rateLimiter.limit(ctx, "myLimit", {
  ${options.join(",\n  ")},
});
`;
}

function periodCode(period: number): { code: string; unit?: string[] } {
  const found = UNITS.find(([, ms]) => period % ms === 0);
  if (found === undefined) return { code: String(period) };
  const [unit, ms] = found;
  const times = period / ms;
  return { code: times === 1 ? unit : `${times} * ${unit}`, unit: [unit] };
}
