import type { FunctionReturnType } from "convex/server";
import type {
  GetValueReturns,
  LimitConfig,
  ListedKey,
  RateLimiter,
  RateLimitOverride,
} from "../client/index.js";
import type { ShownConfig } from "../core/config.js";
import { DAY, HOUR, MINUTE } from "../core/periods.js";
import { isShortString, requireShortString } from "../core/checks.js";
import type { DeniedHour } from "../core/validators.js";
import { OWN_LIMITS, type Ctx } from "./access.js";
import { noLimit, requireGood, type Asked } from "./asked.js";

export type Limits = Record<string, LimitConfig>;
export type OperatorLimiter = RateLimiter<Limits>;

/** What a request reads from: the limits that the app names, and a limiter to read them with. */
export type Source = {
  ctx: Ctx;
  limiter: OperatorLimiter;
  limits: Limits;
  /** In ms since the epoch. */
  now: number;
};

/** How many calls were close to another one on their row in the last hour and the last day. */
export type CloseCalls = Record<"hour" | "day", number>;

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

/** A lease of a concurrency limit. */
export type DashboardLease = FunctionReturnType<
  RateLimiter["component"]["operators"]["leases"]
>["leases"][number];

const ON_A_PAGE = 20;

async function readLimits(source: Source) {
  const named = Object.keys(source.limits);
  const [limits, others] = await Promise.all([
    Promise.all(named.map((name) => readLimit(source, name))),
    readOthers(source),
  ]);
  return { limits, others };
}

/**
 * A limit that the constructor names, with the overrides of the whole limit. The stats, by minute
 * and by hour, are absent for a limit without `stats`.
 */
export type DashboardLimit = Awaited<ReturnType<typeof readLimit>>;

async function readLimit(source: Source, name: string) {
  const config = source.limits[name]!;
  const [overrides, hour, day] = await Promise.all([
    readOverridesOf(source, name, null),
    isCounted(config) ? readStats(source, name, "hour") : undefined,
    isCounted(config) ? readStats(source, name, "day") : undefined,
  ]);
  return { name, config, overrides, hour, day };
}

/** The limits in use that the app does not name, or those of them that use a key. */
function readOthers({ ctx, limiter, limits }: Source, key?: string) {
  const known = [...Object.keys(limits), ...OWN_LIMITS];
  return ctx.runQuery(limiter.component.operators.names, { known, key });
}

async function findKey(source: Source, { key }: Asked<"find">) {
  const named = Object.keys(source.limits);
  const [found, others] = await Promise.all([
    Promise.all(named.map((name) => findIn(source, name, key))),
    findInOthers(source, key),
  ]);
  return { found, ...others };
}

/** One key in one limit that the app names. `denied` is absent for a limit without `stats`. */
export type FoundKey = Awaited<ReturnType<typeof findIn>>;

async function findIn(source: Source, name: string, key: string) {
  requireGood(() => requireShortString(name, "key", key));
  const [value, overrides, denied] = await Promise.all([
    source.limiter.getValue(source.ctx, name, { key }),
    readOverridesOf(source, name, key),
    readDenied(source, name, key),
  ]);
  return { name, config: source.limits[name]!, value, overrides, denied };
}

/** The limits that the app does not name and that use the key, and whether there are more. */
async function findInOthers(source: Source, key: string) {
  const { names, isMore } = await readOthers(source, key);
  const pages = await Promise.all(
    names.map((name) => listStored(source, name, key)),
  );
  return { others: pages.flat(), isMore };
}

/** The key in a limit that the app does not name, if it is in use. */
async function listStored(
  { ctx, limiter }: Source,
  name: string,
  key: string,
): Promise<(StoredKey & { name: string })[]> {
  const { page } = await limiter.list(ctx, {
    name,
    prefix: key,
    paginationOpts: { numItems: ON_A_PAGE, cursor: null },
  });
  return page
    .filter((listed) => listed.key === key)
    .map((listed) => ({ name, ...toStoredKey(listed) }));
}

function toStoredKey({ balance, capacity, usedAt }: ListedKey): StoredKey {
  return { balance, capacity, usedAt };
}

async function readKeys(
  source: Source,
  { limit: name, order, prefix, cursor }: Asked<"keys">,
): Promise<{
  /** Absent for a limit that the app does not name. */
  config?: LimitConfig;
  whole?: Whole | undefined;
  keys: DashboardKey[];
  /** Where the next page begins; null if this is the last. */
  next: string | null;
}> {
  const { ctx, limiter, limits } = source;
  const { page, isDone, continueCursor } = await limiter.list(ctx, {
    name,
    order,
    prefix,
    paginationOpts: { numItems: ON_A_PAGE, cursor },
  });
  const next = isDone ? null : continueCursor;
  if (!Object.hasOwn(limits, name)) {
    if (OWN_LIMITS.includes(name)) throw noLimit(name);
    if (page.length === 0 && cursor === null && !prefix) {
      // Its keys may all be full again: they are stored for a while, but not listed.
      const { names } = await readOthers(source);
      if (!names.includes(name)) throw noLimit(name);
    }
    const keys = page.map((listed) => ({
      key: listed.key,
      stored: toStoredKey(listed),
    }));
    return { keys, next };
  }
  const [whole, keys] = await Promise.all([
    readWhole(source, name),
    Promise.all(
      page.map(async ({ key }) => ({
        key,
        value: isShortString(key ?? "")
          ? await limiter.getValue(ctx, name, { key })
          : undefined,
      })),
    ),
  ]);
  return { config: limits[name]!, whole, keys, next };
}

async function readOverrides(
  source: Source,
  { limit: name, cursor }: Asked<"overrides">,
) {
  const { ctx, limiter, limits, now } = source;
  const [whole, { page, isDone, continueCursor }] = await Promise.all([
    readWhole(source, name),
    limiter.listOverrides(ctx, {
      name,
      paginationOpts: { numItems: ON_A_PAGE, cursor },
    }),
  ]);
  return {
    config: limits[name]!,
    whole,
    overrides: notEnded(page, now),
    next: isDone ? null : continueCursor,
  };
}

/** Without a key, the whole limit. For a key, `ofLimit` applies where the key has no override. */
async function readKey(source: Source, { limit: name, key }: Asked<"key">) {
  requireGood(() => requireShortString(name, "key", key));
  const { ctx, limiter } = source;
  const config = source.limits[name]!;
  const [value, overrides, ofLimit, denied, leases] = await Promise.all([
    limiter.getValue(ctx, name, { key }),
    readOverridesOf(source, name, key ?? null),
    key === undefined ? [] : readOverridesOf(source, name, null),
    key === undefined ? undefined : readDenied(source, name, key),
    config.kind === "concurrency"
      ? ctx.runQuery(limiter.component.operators.leases, { name, key })
      : undefined,
  ]);
  return { config, value, overrides, ofLimit, denied, leases };
}

/** How often a key was denied in each of the last 24 hours, the current one included. */
async function readDenied(
  { ctx, limiter, limits, now }: Source,
  name: string,
  key: string,
): Promise<DeniedHour[] | undefined> {
  if (!isCounted(limits[name]!)) return undefined;
  const asked = { name, key, ...rangeOf("day", now) };
  return ctx.runQuery(limiter.component.operators.deniedOf, asked);
}

async function readDenials(
  source: Source,
  { limit: name, span }: Asked<"denials">,
) {
  const config = source.limits[name]!;
  const [whole, denials] = await Promise.all([
    readWhole(source, name),
    isCounted(config) ? readCounted(source, name, span) : undefined,
  ]);
  return { config, whole, ...denials };
}

/** What a limit with `stats` has counted. */
async function readCounted(source: Source, name: string, span: Span) {
  const { ctx, limiter, now } = source;
  const closeIn = async (period: keyof CloseCalls) => {
    const { closeCalls } = await readStats(source, name, period);
    return closeCalls.reduce((sum, count) => sum + count);
  };
  const asked = { ...rangeOf(span, now), numKeys: 20 };
  const [stats, top, topWouldDeny, hour, day] = await Promise.all([
    readStats(source, name, span),
    limiter.topDenied(ctx, name, asked),
    limiter.topDenied(ctx, name, { ...asked, wouldDeny: true }),
    closeIn("hour"),
    closeIn("day"),
  ]);
  const closeCalls: CloseCalls = { hour, day };
  return { stats, top, topWouldDeny, closeCalls };
}

const isCounted = ({ stats = false }: LimitConfig) => stats !== false;

const SPANS = {
  hour: { by: "minute", step: MINUTE, length: HOUR },
  day: { by: "hour", step: HOUR, length: DAY },
  month: { by: "hour", step: HOUR, length: 30 * DAY },
} as const;

type Span = keyof typeof SPANS;

/** The last hour, day or 30 days, including the current minute or hour. */
function rangeOf(span: Span, now: number) {
  const { step, length } = SPANS[span];
  const to = (Math.floor(now / step) + 1) * step;
  return { from: to - length, to };
}

/** The stats of a limit, as consecutive intervals of `step` ms from `from` on. */
export type StatsSeries = Awaited<ReturnType<typeof readStats>>;

async function readStats(
  { ctx, limiter, now }: Source,
  name: string,
  span: Span,
) {
  const { by, step } = SPANS[span];
  const range = rangeOf(span, now);
  const stats = await limiter.stats(ctx, name, { ...range, by });
  return {
    from: range.from,
    step,
    granted: stats.map(({ granted }) => granted),
    denied: stats.map(({ denied }) => denied),
    // How many of the granted calls only a dry run let through.
    wouldDeny: stats.map(({ wouldDeny = 0 }) => wouldDeny),
    // How many of the granted calls were close to another one on their row.
    closeCalls: stats.map(({ closeCalls = 0 }) => closeCalls),
  };
}

/**
 * The overrides of a key, or for null those of the whole limit, if calls look for any. There are at
 * most four, so one page is enough.
 */
async function readOverridesOf(
  { ctx, limiter, limits, now }: Source,
  name: string,
  key: string | null,
): Promise<RateLimitOverride[]> {
  if (limits[name]!.overrides !== true) return [];
  const { page } = await limiter.listOverrides(ctx, {
    name,
    key,
    paginationOpts: { numItems: 10, cursor: null },
  });
  return notEnded(page, now);
}

/** The whole limit, if it has overrides that apply now or later. */
async function readWhole(
  source: Source,
  name: string,
): Promise<Whole | undefined> {
  const overrides = await readOverridesOf(source, name, null);
  if (overrides.length === 0) return undefined;
  return { value: await source.limiter.getValue(source.ctx, name), overrides };
}

/** Drops overrides that have ended: the query may have been answered some seconds ago. */
const notEnded = (overrides: RateLimitOverride[], now: number) =>
  overrides.filter(({ expiresAt = Infinity }) => expiresAt > now);

/** What only reads, by the field `ask` of its request. */
export const READS = {
  limits: readLimits,
  find: findKey,
  keys: readKeys,
  overrides: readOverrides,
  key: readKey,
  denials: readDenials,
};
