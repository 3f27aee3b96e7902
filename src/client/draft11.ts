/** What the headers say about a limit. */
type HttpLimit = {
  name: string;
  /** In tokens: the most, and what is left. */
  quota: number;
  remaining: number;
  /** In ms. Absent: left out of the header. */
  window?: number | undefined;
  /** How long `remaining` has to last, in ms. */
  effectiveWindow: number;
  unit?: string | undefined;
  partitionKey?: string | undefined;
};

/**
 * The headers of draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4. If a later revision
 * renames the parameters, only this module has to change.
 */
export function draft11Headers({
  name,
  quota,
  remaining,
  window,
  effectiveWindow,
  unit,
  partitionKey,
}: HttpLimit): { "RateLimit-Policy": string; RateLimit: string } {
  const pk = partitionKey === undefined ? undefined : sfBytes(partitionKey);
  return {
    "RateLimit-Policy": sfItem(name, {
      q: wholeNumber(quota),
      qu: unit === undefined ? undefined : sfString(unit),
      w: window === undefined ? undefined : wholeSeconds(Math.max(1, window)),
      pk,
    }),
    RateLimit: sfItem(name, {
      r: wholeNumber(remaining),
      t: wholeSeconds(effectiveWindow),
      pk,
    }),
  };
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
  const present = Object.entries(parameters).filter(
    ([, value]) => value !== undefined,
  );
  return [
    sfString(printable(name)),
    ...present.map(([key, value]) => `${key}=${value}`),
  ].join(";");
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
