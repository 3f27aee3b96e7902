import type { PlaygroundConfig } from "../../convex/playground.js";

/** What the form holds: text as typed. Empty means the default. */
export type Draft = {
  rate: string;
  periodSeconds: string;
  capacity: string;
  maxReserved: string;
  shards: string;
  startSeconds: string;
  isDryRun: boolean;
};

export type Field = Exclude<keyof Draft, "isDryRun">;

/** The numbers of a config, of either kind. */
export type Settings = Omit<
  Extract<PlaygroundConfig, { kind: "fixed window" }>,
  "kind"
>;

export type Kind = PlaygroundConfig["kind"];

export const DEFAULT_DRAFT: Draft = {
  rate: "10",
  periodSeconds: "20",
  capacity: "",
  maxReserved: "10",
  shards: "",
  startSeconds: "",
  isDryRun: false,
};

type Rule = {
  optional?: true;
  /** What is wrong with the number, if anything. */
  check: (n: number) => string | undefined;
};

const atLeast0 = (n: number) => (n < 0 ? "At least 0" : undefined);

const RULES: Record<Field, Rule> = {
  rate: {
    check: (n) =>
      n <= 0 ? "Above 0" : n > 1e6 ? "Up to 1,000,000" : undefined,
  },
  periodSeconds: {
    check: (n) =>
      n < 0.001 ? "At least 0.001" : n > 86_400 ? "Up to 86,400" : undefined,
  },
  capacity: {
    optional: true,
    check: (n) => atLeast0(n) ?? (n > 1e6 ? "Up to 1,000,000" : undefined),
  },
  maxReserved: { optional: true, check: atLeast0 },
  shards: {
    optional: true,
    check: (n) =>
      Number.isInteger(n) && n >= 1 && n <= 50 ? undefined : "Whole, 1 to 50",
  },
  startSeconds: { optional: true, check: () => undefined },
};

export const FIELDS = Object.keys(RULES) as Field[];

export type Errors = Partial<Record<Field, string>>;

/** Checks what was typed. There are settings only if each field is right. */
export function readDraft(draft: Draft): {
  settings: Settings | undefined;
  errors: Errors;
} {
  const errors: Errors = {};
  const numbers: Partial<Record<Field, number>> = {};
  for (const field of FIELDS) {
    const { optional, check } = RULES[field];
    const text = draft[field].trim();
    if (text === "") {
      if (optional !== true) errors[field] = "Needs a number";
      continue;
    }
    const number = Number(text);
    const error = Number.isFinite(number) ? check(number) : "Not a number";
    if (error === undefined) numbers[field] = number;
    else errors[field] = error;
  }
  const { rate, periodSeconds, capacity, maxReserved, shards, startSeconds } =
    numbers;
  if (
    Object.keys(errors).length > 0 ||
    rate === undefined ||
    periodSeconds === undefined
  ) {
    return { settings: undefined, errors };
  }
  const settings: Settings = { rate, period: periodSeconds * 1000 };
  if (capacity !== undefined) settings.capacity = capacity;
  if (maxReserved !== undefined) settings.maxReserved = maxReserved;
  if (shards !== undefined) settings.shards = shards;
  if (startSeconds !== undefined) settings.start = startSeconds * 1000;
  if (draft.isDryRun) settings.enforce = false;
  return { settings, errors };
}

export function configOf(
  kind: Kind,
  { start, ...numbers }: Settings,
): PlaygroundConfig {
  if (kind === "token bucket") return { kind, ...numbers };
  return start === undefined
    ? { kind, ...numbers }
    : { kind, ...numbers, start };
}
