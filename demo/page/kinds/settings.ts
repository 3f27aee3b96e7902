import { calculateRateLimit } from "convex-rate-limiter";

/** What the form holds: text as typed. */
export type Draft = Record<"rate" | "seconds" | "capacity", string>;

/** The numbers that both limits have. */
export type Settings = { rate: number; period: number; capacity?: number };

export const DEFAULT_DRAFT: Draft = { rate: "10", seconds: "20", capacity: "" };

/** Reads what was typed. The limiter itself says what is wrong with it. */
export function readDraft({
  rate,
  seconds,
  capacity,
}: Draft): { settings: Settings } | { error: string } {
  const settings: Settings = {
    rate: numberOf(rate),
    period: numberOf(seconds) * 1000,
    ...(capacity.trim() !== "" && { capacity: numberOf(capacity) }),
  };
  try {
    calculateRateLimit(null, { kind: "token bucket", ...settings }, 0);
    return { settings };
  } catch (error) {
    const { message } = error as Error;
    return { error: message.replace(/^Rate limit\s*: /, "") };
  }
}

/** An empty field is no 0. */
function numberOf(text: string): number {
  return text.trim() === "" ? NaN : Number(text);
}
