import type { FunctionReturnType } from "convex/server";
import type {
  DeniedKey,
  GetValueReturns,
  LimitConfig,
  ListedKey,
  RateLimiter,
  RateLimitOverride,
  RateLimitStats,
} from "../client/index.js";
import type { ShownConfig } from "../core/config.js";
import { DAY, HOUR, MINUTE } from "../core/periods.js";
import { isShortString } from "../core/checks.js";
import type { DeniedHour } from "../core/validators.js";
import { OWN_LIMITS, type Ctx } from "./access.js";
import { noLimit, type Asked } from "./asked.js";

export type Limits = Record<string, LimitConfig>;
export type OperatorLimiter = RateLimiter<Limits>;

/** The limits that the app names, and a limiter to read them with. */
export type Source = { limiter: OperatorLimiter; limits: Limits };

/** The stats of a limit, as consecutive intervals from `from` on. */
export type StatsSeries = {
  from: number;
  /** The length of an interval, in ms. */
  step: number;
  granted: number[];
  denied: number[];
  /** How many of the granted calls only a dry run let through. */
  wouldDeny: number[];
  /** How many of the granted calls were close to another one on their row. */
  closeCalls: number[];
};

/** How many calls were close to another one on their row in the last hour and the last day. */
export type CloseCalls = Record<"hour" | "day", number>;

/** A limit that the constructor names, with the overrides of the whole limit. */
export type DashboardLimit = {
  name: string;
  config: LimitConfig;
  overrides: RateLimitOverride[];
  /** By minute and by hour; absent for a limit without `stats`. */
  hour?: StatsSeries;
  day?: StatsSeries;
};

/** What `getValue` returns; the page projects it by the server's clock. */
export type LimitValue = GetValueReturns<ShownConfig>;

/** A whole limit: the shared balance, and the overrides for all keys. */
export type Whole = { value: LimitValue; overrides: RateLimitOverride[] };

/** A key in use; without `value` if it is longer than calls accept. */
export type DashboardKey = {
  key?: string | undefined;
  value?: LimitValue | undefined;
  /** For a limit that the app does not name. */
  stored?: StoredKey | undefined;
};

/**
 * A key of a limit that the app does not name. Its config comes with the calls, so only the last
 * stored balance is known. A concurrency limit stores its config, so for it the capacity and the
 * current balance are known.
 */
export type StoredKey = Pick<ListedKey, "balance" | "capacity" | "usedAt">;

/** One key in one limit that the app names. */
export type FoundKey = {
  name: string;
  config: LimitConfig;
  value: LimitValue;
  overrides: RateLimitOverride[];
  /** Absent for a limit without `stats`. */
  denied?: DeniedHour[] | undefined;
};

/** A lease of a concurrency limit. */
export type DashboardLease = FunctionReturnType<
  RateLimiter["component"]["operators"]["leases"]
>["leases"][number];

const KEYS_ON_A_PAGE = 20;
const OVERRIDES_ON_A_PAGE = 20;

export async function readLimits(
  ctx: Ctx,
  { limiter, limits }: Source,
  now: number,
): Promise<{
  limits: DashboardLimit[];
  /** Limits in use that the app does not name. */
  others: Others;
}> {
  const others = readOthers(ctx, limiter, limits);
  const shown = await Promise.all(
    Object.entries(limits).map(async ([name, config]) => {
      const [overrides, hour, day] = await Promise.all([
        readOverridesOf(ctx, limiter, name, config, null, now),
        isCounted(config)
          ? readStats(ctx, limiter, name, "hour", now)
          : undefined,
        isCounted(config)
          ? readStats(ctx, limiter, name, "day", now)
          : undefined,
      ]);
      return { name, config, overrides, hour, day };
    }),
  );
  return { limits: shown, others: await others };
}

type Others = { names: string[]; isMore: boolean };

async function readOthers(
  ctx: Ctx,
  limiter: OperatorLimiter,
  limits: Limits,
): Promise<Others> {
  const known = [...Object.keys(limits), ...OWN_LIMITS];
  return ctx.runQuery(limiter.component.operators.names, { known });
}

export async function findKey(
  ctx: Ctx,
  { limiter, limits }: Source,
  { key }: Asked<"find">,
  now: number,
): Promise<{
  found: FoundKey[];
  /** The limits that the app does not name and that use the key. */
  others: (StoredKey & { name: string })[];
  /** How many such limits were searched, and whether there are more. */
  searched: number;
  isMore: boolean;
}> {
  const inOthers = async () => {
    const { names, isMore } = await readOthers(ctx, limiter, limits);
    const pages = await Promise.all(
      names.map((name) => listStored(ctx, limiter, name, key)),
    );
    return { others: pages.flat(), searched: names.length, isMore };
  };
  const [found, others] = await Promise.all([
    Promise.all(
      Object.entries(limits).map(async ([name, config]) => {
        const [value, overrides, denied] = await Promise.all([
          limiter.getValue(ctx, name, { key }),
          readOverridesOf(ctx, limiter, name, config, key, now),
          readDenied(ctx, limiter, name, config, key, now),
        ]);
        return { name, config, value, overrides, denied };
      }),
    ),
    inOthers(),
  ]);
  return { found, ...others };
}

/** The key in a limit that the app does not name, if it is in use. */
async function listStored(
  ctx: Ctx,
  limiter: OperatorLimiter,
  name: string,
  key: string,
): Promise<(StoredKey & { name: string })[]> {
  const { page } = await limiter.list(ctx, {
    name,
    prefix: key,
    paginationOpts: { numItems: KEYS_ON_A_PAGE, cursor: null },
  });
  return page
    .filter((listed) => listed.key === key)
    .map((listed) => ({ name, ...toStoredKey(listed) }));
}

function toStoredKey({ balance, capacity, usedAt }: ListedKey): StoredKey {
  return { balance, capacity, usedAt };
}

export async function readKeys(
  ctx: Ctx,
  { limiter, limits }: Source,
  { limit: name, order, prefix, cursor }: Asked<"keys">,
  now: number,
): Promise<{
  /** Absent for a limit that the app does not name. */
  config?: LimitConfig;
  whole?: Whole | undefined;
  keys: DashboardKey[];
  /** Where the next page begins; null if this is the last. */
  next: string | null;
}> {
  const { page, isDone, continueCursor } = await limiter.list(ctx, {
    name,
    order,
    prefix,
    paginationOpts: { numItems: KEYS_ON_A_PAGE, cursor },
  });
  const next = isDone ? null : continueCursor;
  if (!Object.hasOwn(limits, name)) {
    if (OWN_LIMITS.includes(name)) throw noLimit(name);
    if (page.length === 0 && cursor === null && !prefix) {
      // Its keys may all be full again: they are stored for a while, but not listed.
      const { names } = await readOthers(ctx, limiter, limits);
      if (!names.includes(name)) throw noLimit(name);
    }
    const keys = page.map((listed) => ({
      key: listed.key,
      stored: toStoredKey(listed),
    }));
    return { keys, next };
  }
  const config = limits[name]!;
  const [whole, keys] = await Promise.all([
    readWhole(ctx, limiter, name, config, now),
    Promise.all(
      page.map(async ({ key }) => ({
        key,
        value: isShortString(key ?? "")
          ? await limiter.getValue(ctx, name, { key })
          : undefined,
      })),
    ),
  ]);
  return { config, whole, keys, next };
}

export async function readOverrides(
  ctx: Ctx,
  { limiter, limits }: Source,
  { limit: name, cursor }: Asked<"overrides">,
  now: number,
): Promise<{
  config: LimitConfig;
  whole?: Whole | undefined;
  overrides: RateLimitOverride[];
  next: string | null;
}> {
  const config = limits[name]!;
  const [whole, { page, isDone, continueCursor }] = await Promise.all([
    readWhole(ctx, limiter, name, config, now),
    limiter.listOverrides(ctx, {
      name,
      paginationOpts: { numItems: OVERRIDES_ON_A_PAGE, cursor },
    }),
  ]);
  return {
    config,
    whole,
    overrides: notEnded(page, now),
    next: isDone ? null : continueCursor,
  };
}

export async function readKey(
  ctx: Ctx,
  { limiter, limits }: Source,
  { limit: name, key }: Asked<"key">,
  now: number,
): Promise<{
  config: LimitConfig;
  value: LimitValue;
  /** Those of the key itself; without a key, of the whole limit. */
  overrides: RateLimitOverride[];
  /** For a key: those of the whole limit, which apply where the key has none. */
  ofLimit: RateLimitOverride[];
  /** How often it was denied in the last 24 hours; absent without a key or without `stats`. */
  denied?: DeniedHour[] | undefined;
  /** For a concurrency limit. */
  leases?: { leases: DashboardLease[]; isMore: boolean } | undefined;
}> {
  const config = limits[name]!;
  const [value, overrides, ofLimit, denied, leases] = await Promise.all([
    limiter.getValue(ctx, name, { key }),
    readOverridesOf(ctx, limiter, name, config, key ?? null, now),
    key === undefined
      ? []
      : readOverridesOf(ctx, limiter, name, config, null, now),
    key === undefined
      ? undefined
      : readDenied(ctx, limiter, name, config, key, now),
    config.kind === "concurrency"
      ? ctx.runQuery(limiter.component.operators.leases, { name, key })
      : undefined,
  ]);
  return { config, value, overrides, ofLimit, denied, leases };
}

/** How often a key was denied in each of the last 24 hours, the current one included. */
async function readDenied(
  ctx: Ctx,
  { component }: OperatorLimiter,
  name: string,
  config: LimitConfig,
  key: string,
  now: number,
): Promise<DeniedHour[] | undefined> {
  if (!isCounted(config)) return undefined;
  const asked = { name, key, ...rangeOf("day", now) };
  return ctx.runQuery(component.operators.deniedOf, asked);
}

export async function readDenials(
  ctx: Ctx,
  { limiter, limits }: Source,
  { limit: name, span }: Asked<"denials">,
  now: number,
): Promise<{
  config: LimitConfig;
  whole?: Whole | undefined;
  /** Absent for a limit without `stats`. */
  stats?: StatsSeries;
  top?: DeniedKey[];
  /** The keys that a dry run would have denied most. */
  topWouldDeny?: DeniedKey[];
  closeCalls?: CloseCalls;
}> {
  const config = limits[name]!;
  const wholeRead = readWhole(ctx, limiter, name, config, now);
  if (!isCounted(config)) return { config, whole: await wholeRead };
  const closeIn = async (period: keyof CloseCalls) => {
    const { closeCalls } = await readStats(ctx, limiter, name, period, now);
    return closeCalls.reduce((sum, count) => sum + count);
  };
  const asked = { ...rangeOf(span, now), limit: 20 };
  const [whole, stats, top, topWouldDeny, hour, day] = await Promise.all([
    wholeRead,
    readStats(ctx, limiter, name, span, now),
    limiter.topDenied(ctx, name, asked),
    limiter.topDenied(ctx, name, { ...asked, wouldDeny: true }),
    closeIn("hour"),
    closeIn("day"),
  ]);
  const closeCalls = { hour, day };
  return { config, whole, stats, top, topWouldDeny, closeCalls };
}

const isCounted = ({ stats = false }: LimitConfig) => stats !== false;

const SPANS = {
  hour: { by: "minute", step: MINUTE, length: HOUR },
  day: { by: "hour", step: HOUR, length: DAY },
  month: { by: "hour", step: HOUR, length: 30 * DAY },
} as const;

/** The last hour, day or 30 days, including the current minute or hour. */
function rangeOf(span: keyof typeof SPANS, now: number) {
  const { step, length } = SPANS[span];
  const to = (Math.floor(now / step) + 1) * step;
  return { from: to - length, to };
}

async function readStats(
  ctx: Ctx,
  limiter: OperatorLimiter,
  name: string,
  span: keyof typeof SPANS,
  now: number,
): Promise<StatsSeries> {
  const { by, step } = SPANS[span];
  const range = rangeOf(span, now);
  const stats: RateLimitStats[] = await limiter.stats(ctx, name, {
    ...range,
    by,
  });
  return {
    from: range.from,
    step,
    granted: stats.map(({ granted }) => granted),
    denied: stats.map(({ denied }) => denied),
    wouldDeny: stats.map(({ wouldDeny = 0 }) => wouldDeny),
    closeCalls: stats.map(({ closeCalls = 0 }) => closeCalls),
  };
}

/**
 * The overrides of a key, or for null those of the whole limit, if calls look for any. There are at
 * most four, so one page is enough.
 */
async function readOverridesOf(
  ctx: Ctx,
  limiter: OperatorLimiter,
  name: string,
  config: LimitConfig,
  key: string | null,
  now: number,
): Promise<RateLimitOverride[]> {
  if (config.overrides !== true) return [];
  const { page } = await limiter.listOverrides(ctx, {
    name,
    key,
    paginationOpts: { numItems: 10, cursor: null },
  });
  return notEnded(page, now);
}

/** The whole limit, if it has overrides that apply now or later. */
async function readWhole(
  ctx: Ctx,
  limiter: OperatorLimiter,
  name: string,
  config: LimitConfig,
  now: number,
): Promise<Whole | undefined> {
  const overrides = await readOverridesOf(
    ctx,
    limiter,
    name,
    config,
    null,
    now,
  );
  if (overrides.length === 0) return undefined;
  return { value: await limiter.getValue(ctx, name), overrides };
}

/** Drops overrides that have ended: the query may have been answered some seconds ago. */
const notEnded = (overrides: RateLimitOverride[], now: number) =>
  overrides.filter(({ expiresAt = Infinity }) => expiresAt > now);
