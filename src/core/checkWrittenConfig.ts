import {
  checkConfig,
  formatValue,
  oneOf,
  reject,
  rejectField,
  requireOfKind,
  requireValue,
  rulesOf,
} from "./checks.js";
import { toStored, type LimitConfig, type StoredConfig } from "./config.js";
import { likeliest } from "./nearest.js";
import { PERIODS } from "./periods.js";
import type { ConfigOverride } from "./validators.js";

/**
 * Checks a config as an app writes it. Also rejects fields that do not exist.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkWrittenConfig(name: string, config: LimitConfig): void {
  checkWrittenFields(name, config);
  checkConfig(name, toStored(config));
}

/**
 * Checks what a stored config no longer shows: which fields the app wrote, `requireKey`, and
 * whether the period is one of a calendar. The component checks the rest of a config that comes
 * with a call.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkWrittenFields(name: string, config: LimitConfig): void {
  if (typeof config !== "object" || config === null) {
    throw new Error(
      `Rate limit ${name}: its config must be an object, but is ${String(config)}.`,
    );
  }
  const { kind } = config;
  const fields = rulesOf(name, kind);
  for (const [field, value] of Object.entries(config)) {
    if (value === undefined || Object.hasOwn(fields, field)) continue;
    requireOfKind(name, field, kind);
    const meant = likeliest(field, Object.keys(fields));
    throw new Error(
      `Rate limit ${name}: there is no field ${field} in a config.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
    );
  }
  const { requireKey = false } = config;
  requireValue(name, "requireKey", fields.requireKey!, requireKey);
  checkPeriod(name, config);
}

/** Checks `period`, `timeZone` and `weekStart` against each other. */
function checkPeriod(name: string, config: LimitConfig): void {
  const { kind, period, timeZone, weekStart } = config;
  if (typeof period === "string") {
    if (kind !== "fixed window" || !PERIODS.includes(period)) {
      const wanted = `a finite number above 0, or of a fixed window ${oneOf(PERIODS)}`;
      reject(name, "period", wanted, period);
    }
  } else if (timeZone !== undefined) {
    rejectWithout(name, "timeZone", timeZone, PERIODS);
  }
  if (period !== "week" && weekStart !== undefined) {
    rejectWithout(name, "weekStart", weekStart, ["week"]);
  }
}

/** @throws An `Error`: the field needs one of these periods. */
function rejectWithout(
  name: string,
  field: string,
  value: unknown,
  periods: readonly string[],
): never {
  throw new Error(
    `Rate limit ${name}: ${field} ${formatValue(value)} needs a fixed window with the period ${oneOf(periods)}.`,
  );
}

/** @throws An `Error` if an override has a field that the kind of the limit does not have. */
export function requireOverridable(
  name: string,
  config: StoredConfig,
  override: ConfigOverride,
): void {
  const fields = rulesOf(name, config.kind);
  for (const [field, value] of Object.entries(override)) {
    if (value === undefined || Object.hasOwn(fields, field)) continue;
    rejectField(name, field, config.kind);
  }
}
