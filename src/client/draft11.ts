import { PERIOD_MS } from "../core/periods.js";
import type { RateLimitHeaderOptions } from "./http.js";
import type { RateLimitDetails } from "./types.js";

/**
 * The fields `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11, sections
 * 3 and 4. If a later revision renames the parameters, only this module has to change.
 *
 * @param wait How long a denial lasts, in ms.
 */
export function draft11Fields(
  { limit, remaining, resetAfter }: RateLimitDetails,
  { name, config, unit, partitionKey }: RateLimitHeaderOptions,
  wait: number,
): { policy: string; state: string } {
  const pk = partitionKey === undefined ? undefined : sfBytes(partitionKey);
  return {
    policy: sfItem(name, {
      q: wholeNumber(limit),
      qu: unit === undefined ? undefined : sfString(unit),
      w: config && wholeSeconds(Math.max(1, windowOf(config))),
      pk,
    }),
    state: sfItem(name, {
      r: wholeNumber(remaining),
      t: wholeSeconds(Math.min(resetAfter, wait)),
      pk,
    }),
  };
}

/** In ms. */
function windowOf({
  rate,
  period,
  capacity,
}: NonNullable<RateLimitHeaderOptions["config"]>): number {
  const ms = typeof period === "string" ? PERIOD_MS[period] : period;
  return capacity === undefined ? ms : (ms * capacity) / rate;
}

export function wholeSeconds(ms: number): string {
  return wholeNumber(Math.ceil(ms / 1000));
}

/** The largest Integer of a structured field (RFC 9651, section 3.3.1). */
const MAX_INTEGER = 999_999_999_999_999;

export function wholeNumber(value: number): string {
  if (Number.isNaN(value)) {
    throw new Error(
      "rateLimitHeaders: a number of the answer or of the config is NaN.",
    );
  }
  return String(Math.min(Math.max(0, Math.floor(value)), MAX_INTEGER));
}

/** A String with those of its parameters that are defined (RFC 9651, section 3.1.2). */
function sfItem(
  name: string,
  parameters: Record<string, string | undefined>,
): string {
  let item = sfString(printable(name));
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== undefined) item += `;${key}=${value}`;
  }
  return item;
}

/** A String (RFC 9651, section 3.3.3) of printable ASCII. */
function sfString(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** A Byte Sequence (RFC 9651, section 3.3.5) of the text in UTF-8. */
function sfBytes(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return `:${btoa(String.fromCharCode(...bytes))}:`;
}

/** The text with all characters except printable ASCII percent-encoded in UTF-8. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, (characters) =>
    Array.from(
      new TextEncoder().encode(characters),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    ).join(""),
  );
}
