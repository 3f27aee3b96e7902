const tokens = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** `5`, `4.2`, `−3`. Rounded down, so that it never promises a token that is not there. */
export function formatTokens(count: number): string {
  return tokens.format(Math.floor(count * 10 + 1e-5) / 10).replace("-", "−");
}

const UNITS = [
  { unit: "d", ms: 86_400_000 },
  { unit: "h", ms: 3_600_000 },
  { unit: "min", ms: 60_000 },
  { unit: "s", ms: 1000 },
];

/** `150 ms`, `4.2 s`, `42 s`, `2 min 5 s`, `1 h 30 min`, `1 d`. The two largest units. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.ceil(ms))} ms`;
  // Up, so that a wait is never told too short.
  if (ms < 10_000) return `${Math.ceil(ms / 100) / 10} s`;
  if (ms < 60_000) return `${Math.ceil(ms / 1000)} s`;
  // Ten minutes by the server's clock may be a little more by the page's.
  const whole = Math.round(ms / 1000) * 1000;
  const i = UNITS.findIndex((unit) => whole >= unit.ms);
  const large = UNITS[i]!;
  const small = UNITS[i + 1]!;
  const rest = Math.floor((whole % large.ms) / small.ms);
  const first = `${Math.floor(whole / large.ms)} ${large.unit}`;
  return rest === 0 ? first : `${first} ${rest} ${small.unit}`;
}

/** As `formatDuration`, but always as wide while the last seconds pass: `2.0 s`. */
export function formatCountdown(ms: number): string {
  return ms < 10_000
    ? `${(Math.ceil(ms / 100) / 10).toFixed(1)} s`
    : formatDuration(ms);
}

/**
 * `42 s`, `10 min`, `2 h`: one number, for a button. Exact below two minutes; beyond, to
 * the nearest, since ten minutes of the server may be a second more by the page's clock.
 */
export function formatWait(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** `just now`, `20 s ago`, `4 min ago`. Coarse, so that it seldom changes. */
export function formatAgo(ms: number): string {
  if (ms < AGO_STEP_MS) return "just now";
  const step = ms < 60_000 ? AGO_STEP_MS : 60_000;
  return `${formatDuration(Math.floor(ms / step) * step)} ago`;
}

/** How often `formatAgo` says something else at most. */
export const AGO_STEP_MS = 10_000;

export function plural(count: number, noun: string): string {
  return `${formatTokens(count)} ${noun}${count === 1 ? "" : "s"}`;
}
