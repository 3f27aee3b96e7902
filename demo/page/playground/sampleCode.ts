import type { PlaygroundConfig } from "../../convex/playground.js";

const UNITS = [
  ["DAY", 86_400_000],
  ["HOUR", 3_600_000],
  ["MINUTE", 60_000],
  ["SECOND", 1000],
] as const;

/** The code that defines a limit with this config. */
export function definitionCode(config: PlaygroundConfig): string {
  const period = periodCode(config.period);
  const imports = [...(period.unit ?? []), "RateLimiter"].sort();
  const fields = Object.entries(config)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      name === "period"
        ? `period: ${period.code}`
        : `${name}: ${JSON.stringify(value)}`,
    );
  return `import { ${imports.join(", ")} } from "convex-rate-limiter";
import { components } from "./_generated/api";

export const rateLimiter = new RateLimiter(components.rateLimiter, {
  myLimit: {
    ${fields.join(",\n    ")},
  },
});
`;
}

/** The code that asks it. */
export function callCode(count: number, reserve: boolean): string {
  const options = [
    "key: userId",
    ...(count === 1 ? [] : [`count: ${count}`]),
    ...(reserve ? ["reserve: true"] : []),
  ];
  const call = `const { ok, retryAfter } = await rateLimiter.limit(ctx, "myLimit", {
  ${options.join(",\n  ")},
});
`;
  return reserve
    ? `${call}if (!ok) throw new Error(\`Try again in \${retryAfter} ms.\`);
// The tokens are yours in retryAfter ms; at once if it is undefined.
`
    : `${call}if (!ok) throw new Error(\`Try again in \${retryAfter} ms.\`);
`;
}

function periodCode(period: number): { code: string; unit?: string[] } {
  const found = UNITS.find(([, ms]) => period % ms === 0);
  if (found === undefined) return { code: String(period) };
  const [unit, ms] = found;
  const times = period / ms;
  return { code: times === 1 ? unit : `${times} * ${unit}`, unit: [unit] };
}
