import type {
  DeniedKey,
  GetValueReturns,
  LimitConfig,
  RateLimiter,
  RateLimitOverride,
  RateLimitStats,
} from "../client/index.js";
import type { ShownConfig } from "../core/config.js";
import { DAY, HOUR, MINUTE } from "../core/periods.js";
import { isShort } from "../core/reject.js";
import type { Ctx } from "./access.js";
import type { Asked } from "./asked.js";

export type Limits = Record<string, LimitConfig>;
export type Limiter = RateLimiter<Limits>;

/** The limits that the app names, and a limiter to read them with. */
export type Shown = { limiter: Limiter; limits: Limits };

/** The stats of a limit, as consecutive buckets from `from` on. */
export type Figures = {
  from: number;
  /** The length of a bucket, in ms. */
  step: number;
  granted: number[];
  denied: number[];
  /** Of the granted calls, how many only a dry run let through. */
  wouldDeny: number[];
};

/** A limit that the constructor names, with the overrides of the whole limit. */
export type ShownLimit = {
  name: string;
  config: LimitConfig;
  overrides: RateLimitOverride[];
  /** By minute and by hour; absent for a limit without `stats`. */
  hour?: Figures;
  day?: Figures;
};

/** What `getValue` returns; the page projects it by the server's clock. */
export type Value = GetValueReturns<ShownConfig>;

/** A key in use; without `value` if it is longer than calls accept. */
export type ShownKey = {
  key?: string | undefined;
  value?: Value | undefined;
};

const KEYS_ON_A_PAGE = 20;
const OVERRIDES_ON_A_PAGE = 20;

export async function readLimits(
  ctx: Ctx,
  { limiter, limits }: Shown,
  now: number,
): Promise<{ limits: ShownLimit[] }> {
  const shown = await Promise.all(
    Object.entries(limits).map(async ([name, config]) => {
      const [overrides, hour, day] = await Promise.all([
        config.overrides === true
          ? overridesOf(ctx, limiter, name, null, now)
          : [],
        isCounted(config)
          ? readFigures(ctx, limiter, name, "hour", now)
          : undefined,
        isCounted(config)
          ? readFigures(ctx, limiter, name, "day", now)
          : undefined,
      ]);
      return { name, config, overrides, hour, day };
    }),
  );
  return { limits: shown };
}

export async function readKeys(
  ctx: Ctx,
  { limiter, limits }: Shown,
  { limit: name, order, prefix, cursor }: Asked<"keys">,
): Promise<{
  config: LimitConfig;
  keys: ShownKey[];
  /** Where the next page begins; null if this is the last. */
  next: string | null;
}> {
  const { page, isDone, continueCursor } = await limiter.list(ctx, {
    name,
    order,
    prefix,
    paginationOpts: { numItems: KEYS_ON_A_PAGE, cursor },
  });
  const keys = await Promise.all(
    page.map(async ({ key }) => ({
      key,
      value: isShort(key ?? "")
        ? await limiter.getValue(ctx, name, { key })
        : undefined,
    })),
  );
  const config = limits[name]!;
  return { config, keys, next: isDone ? null : continueCursor };
}

export async function readOverrides(
  ctx: Ctx,
  { limiter, limits }: Shown,
  { limit: name, cursor }: Asked<"overrides">,
  now: number,
): Promise<{
  config: LimitConfig;
  overrides: RateLimitOverride[];
  next: string | null;
}> {
  const { page, isDone, continueCursor } = await limiter.listOverrides(ctx, {
    name,
    paginationOpts: { numItems: OVERRIDES_ON_A_PAGE, cursor },
  });
  const config = limits[name]!;
  return {
    config,
    overrides: present(page, now),
    next: isDone ? null : continueCursor,
  };
}

export async function readKey(
  ctx: Ctx,
  { limiter, limits }: Shown,
  { limit: name, key }: Asked<"key">,
  now: number,
): Promise<{
  config: LimitConfig;
  value: Value;
  overrides: RateLimitOverride[];
}> {
  const config = limits[name]!;
  const [value, overrides] = await Promise.all([
    limiter.getValue(ctx, name, { key }),
    config.overrides === true
      ? overridesOf(ctx, limiter, name, key ?? null, now)
      : [],
  ]);
  return { config, value, overrides };
}

export async function readDenials(
  ctx: Ctx,
  { limiter, limits }: Shown,
  { limit: name, span }: Asked<"denials">,
  now: number,
): Promise<{
  config: LimitConfig;
  /** Absent for a limit without `stats`. */
  figures?: Figures;
  top?: DeniedKey[];
}> {
  const config = limits[name]!;
  if (!isCounted(config)) return { config };
  const [figures, top] = await Promise.all([
    readFigures(ctx, limiter, name, span, now),
    limiter.topDenied(ctx, name, { ...rangeOf(span, now), limit: 20 }),
  ]);
  return { config, figures, top };
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

async function readFigures(
  ctx: Ctx,
  limiter: Limiter,
  name: string,
  span: keyof typeof SPANS,
  now: number,
): Promise<Figures> {
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
  };
}

/** One page is enough: a key has at most five overrides. */
async function overridesOf(
  ctx: Ctx,
  limiter: Limiter,
  name: string,
  key: string | null,
  now: number,
): Promise<RateLimitOverride[]> {
  const { page } = await limiter.listOverrides(ctx, {
    name,
    key,
    paginationOpts: { numItems: 10, cursor: null },
  });
  return present(page, now);
}

/** The overrides that have not ended. The query may have been answered some seconds earlier. */
const present = (overrides: RateLimitOverride[], now: number) =>
  overrides.filter(({ expiresAt = Infinity }) => expiresAt > now);
