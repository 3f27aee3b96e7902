import { checkWrittenConfig } from "../../../src/core/checks.js";

/** The fields of the form. */
export type Field = "rate" | "period" | "capacity";

/** What the form holds: text as typed. The period is in seconds. */
export type Draft = Record<Field, string>;

/** The numbers that both limits have. The period is in ms. */
export type Settings = { rate: number; period: number; capacity?: number };

export type Problem = { field: Field; message: string };

export const DEFAULT_DRAFT: Draft = { rate: "10", period: "20", capacity: "" };

/** Reads what was typed. For bad numbers, the message is that of the limiter itself. */
export function readDraft(
  draft: Draft,
): { settings: Settings } | { problem: Problem } {
  const { rate, period, capacity } = draft;
  for (const field of ["rate", "period", "capacity"] as const) {
    const text = draft[field].trim();
    const isNumber = text !== "" && Number.isFinite(Number(text));
    if (isNumber || (field === "capacity" && text === "")) continue;
    return { problem: { field, message: `The ${field} is not a number.` } };
  }
  const settings: Settings = {
    rate: Number(rate),
    period: Number(period) * 1000,
    ...(capacity.trim() !== "" && { capacity: Number(capacity) }),
  };
  try {
    checkWrittenConfig("", { kind: "token bucket", ...settings });
    return { settings };
  } catch (error) {
    const message = (error as Error).message.replace(/^Rate limit\s*: /, "");
    const field = /\b(rate|period|capacity)\b/.exec(message)?.[0] ?? "rate";
    return { problem: { field: field as Field, message } };
  }
}
