const tokens = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** `5`, `4.2`, `-3`. Rounded down, so that it never promises a token that is not there. */
export function formatTokens(count: number): string {
  return tokens.format(Math.floor(count * 10 + 1e-5) / 10);
}

/** `4.2 s`, `42 s`, `2 min 5 s`, `1 h 30 min`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(Math.ceil(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return join(minutes, "min", seconds % 60, "s");
  return join(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

/** In whole seconds; for what is long past, as `formatDuration`. */
export function formatAge(ms: number): string {
  if (ms < 60_000) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  return formatDuration(ms);
}

export function plural(count: number, noun: string): string {
  return `${formatTokens(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function join(large: number, unit: string, small: number, smallUnit: string) {
  return small === 0
    ? `${large} ${unit}`
    : `${large} ${unit} ${small} ${smallUnit}`;
}
