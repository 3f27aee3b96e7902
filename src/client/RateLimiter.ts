import {
  mutationGeneric,
  queryGeneric,
  type FunctionArgs,
  type FunctionReturnType,
  type GenericDataModel,
  type OptionalRestArgs,
  type PaginationOptions,
  type QueryBuilder,
  type SchedulableFunctionReference,
} from "convex/server";
import { v, type GenericId } from "convex/values";
import type { ComponentApi } from "../component/_generated/component.js";
import {
  isAsynchronous,
  toStored,
  type ConcurrencyConfig,
  type LimitConfig,
  type ShownConfig,
  type StoredConfig,
} from "../core/config.js";
import { requireOverridable, validateConfig } from "../core/validateConfig.js";
import { rateLimitedError } from "../core/errors.js";
import { DAY, SECOND } from "../core/periods.js";
import type { NamedLimits } from "../core/vConfig.js";
import { parseHoldId } from "../core/holdId.js";
import type { GetValueReturns } from "../core/value.js";
import { reading, writing } from "./ctx.js";
import { checkKey, checkOptions, foundKey } from "./key.js";
import { configOf, requireRefilling } from "./limits.js";
import { renewing } from "./renewing.js";
import type {
  ActionCtx,
  AmountOptions,
  AnswerOptions,
  AnyName,
  CancellingCtx,
  ConfigOption,
  LimitWith,
  DeniedKey,
  GetValueOptions,
  HoldReturns,
  ConcurrencyName,
  HoldId,
  HoldOptions,
  HookAPIFunctions,
  HookAPIOptions,
  Inferred,
  IdOf,
  IsNamed,
  ItemsOf,
  KeyOption,
  KindOf,
  KindOfCall,
  LimitAllItem,
  LeaseId,
  LimitAllReturns,
  LimitsOfKinds,
  ListedKey,
  MutationCtx,
  NameOf,
  NameWith,
  OptionsOf,
  PenalizeOptions,
  QueryCtx,
  RateLimiterOptions,
  RateLimitListOptions,
  RateLimitName,
  RateLimitOverride,
  RateLimitReturns,
  RequestOptions,
  RequiredKey,
  Schedulable,
  ScheduleReturns,
  ScheduleOptions,
  SchedulingCtx,
  SetOverrideOptions,
  SettleOptions,
  ShownOf,
  RateLimitStats,
  RateLimitStatsOptions,
  TopDeniedOptions,
  UpToOption,
  RefillingName,
  WhileHoldingOptions,
  WhileHoldingReturns,
  WrittenConfig,
} from "./types.js";

/**
 * The limits of an app. Make one per app, or several with limits of different names.
 *
 * ```ts
 * const rateLimiter = new RateLimiter(components.rateLimiter, {
 *   signUp: { kind: "fixed window", rate: 100, period: HOUR },
 *   sendMessage: { kind: "token bucket", rate: 10, period: MINUTE, capacity: 3 },
 * });
 *
 * const status = await rateLimiter.limit(ctx, "sendMessage", { key: userId });
 * ```
 *
 * Every call is part of the caller's transaction: if the caller's mutation throws, nothing
 * was consumed. If the component fails, so does the caller's mutation; nothing is granted
 * by default. In an action each call is a transaction of its own.
 *
 * A limit that the constructor names needs nothing more. Any other needs a `config` in each
 * call: the same one in all calls that mean the same limit.
 */
export class RateLimiter<
  Limits extends Record<string, LimitConfig> = Record<never, never>,
  /** The names of those that refill with time, and of those on what runs at once. */
  Refilling extends string = RefillingName<Limits> & string,
  Concurrency extends string = ConcurrencyName<Limits> & string,
> {
  /** The component, as the constructor was given it. */
  readonly component: ComponentApi;
  /** The named limits, as the constructor was given them. */
  readonly limits: Limits | undefined;
  private readonly options: RateLimiterOptions;

  /**
   * Checks every config, so that a bad one fails when the module loads.
   *
   * @param component `components.rateLimiter`, from `./_generated/api`.
   * @param limits The named limits. A name that is not here needs a `config` in each call.
   * @param options What to do after a denial.
   * @throws An `Error` if the component is missing, or one that names the limit, the field
   * and the value of a bad config.
   */
  constructor(
    component: ComponentApi,
    limits?: LimitsOfKinds<Limits> & Inferred<Limits, Limits>,
    options?: RateLimiterOptions,
  );
  constructor(
    component: ComponentApi,
    limits?: Limits,
    options: RateLimiterOptions = {},
  ) {
    requireComponent(component);
    for (const [name, config] of Object.entries(limits ?? {})) {
      validateConfig(name, config);
      if (options.advice !== false) adviseOnPeriod(name, config);
    }
    this.component = component;
    this.limits = limits;
    this.options = options;
  }

  /**
   * Takes tokens, or says when it could. Use `check` to ask without taking, `limitAll` to
   * take from several limits at once, `charge` to take regardless, `hold` to settle the real
   * cost later, `schedule` to run work when its tokens exist.
   *
   * Granted: reads one row and writes it. Only a limit that is split reads more, when the
   * row at hand is short. Denied: writes nothing. With `stats` in the limit's config, it
   * looks first without a read dependency, and writes one row more either way.
   *
   * @throws `ConvexError` with `{ kind: "RateLimited" }` if denied and `throws`; with
   * `{ kind: "ExceedsCapacity" }` if `count` is more than could ever be granted.
   * `Error` if `count` is negative or not finite.
   */
  async limit<
    Name extends NameOf<Refilling, Config>,
    Details extends boolean = false,
    Config = undefined,
    UpTo extends boolean = false,
    Throws extends boolean = false,
  >(
    ctx: MutationCtx,
    name: Name,
    ...[options]: OptionsOf<
      Limits,
      Name,
      Config,
      RequestOptions &
        UpToOption<UpTo> &
        AnswerOptions<Details, Throws> &
        ConfigOption<Config>
    >
  ): Promise<RateLimitReturns<Details, UpTo, Throws>>;
  async limit(
    ctx: MutationCtx,
    name: string,
    options?: SingleRequest,
  ): Promise<RateLimitReturns> {
    const request = this.request(name, options);
    const status = await writing(ctx).runMutation(
      this.component.lib.rateLimit,
      {
        ...request,
        upTo: options?.upTo,
        details: options?.details,
      },
    );
    if (status.ok) return this.warned(ctx, status);
    await this.denied(ctx, request, status.retryAfter, options?.throws);
    return status;
  }

  /**
   * Answers as `limit` or `hold` would, and takes nothing. Someone else may take the tokens
   * before you call `limit`: to decide, call `limit` itself.
   *
   * In a mutation it reads what `limit` would read, so the answer still holds when the
   * mutation commits. Elsewhere it can be up to 17 s old: Convex may answer an action or a
   * client from its cache, and a subscription does not run again just because time has
   * passed. Writes nothing.
   *
   * @throws As `limit` does.
   */
  async check<
    Name extends NameOf<keyof Limits & string, Config>,
    Details extends boolean = false,
    Config = undefined,
    UpTo extends boolean = false,
    Throws extends boolean = false,
  >(
    ctx: QueryCtx,
    name: Name,
    ...[options]: OptionsOf<
      Limits,
      Name,
      Config,
      RequestOptions &
        UpToOption<UpTo> &
        AnswerOptions<Details, Throws> &
        ConfigOption<Config, WrittenConfig>
    >
  ): Promise<RateLimitReturns<Details, UpTo, Throws>>;
  async check(
    ctx: QueryCtx,
    name: string,
    options?: SingleRequest,
  ): Promise<RateLimitReturns> {
    const account = this.account(name, options);
    const { count, reserve, leave, upTo, details } = options ?? {};
    const args = { ...account, count, reserve, leave, upTo, details };
    const { lib } = this.component;
    const status = asksFresh(ctx, account.config)
      ? await ctx.runMutation(lib.checkRateLimitFresh, args)
      : await ctx.runQuery(lib.checkRateLimit, args);
    if (!status.ok && options?.throws === true) {
      throw rateLimitedError(name, account.key, status.retryAfter);
    }
    return status;
  }

  /**
   * Takes from all of the limits or from none, in one call of the component. Use it
   * rather than several `limit`s, which would keep what the first ones took. The same
   * limit and key may come twice, and then must fit twice.
   *
   * Reads and writes the rows that the single calls would; denied, it writes nothing, or
   * with `stats` one row for each limit that refuses. Denied, it also looks at the rows of
   * limits that grant, if overrides of theirs are known to begin or end.
   *
   * @throws As `limit` does, for the first limit that refuses. `Error` if the list is
   * empty.
   */
  async limitAll<
    Items extends readonly unknown[],
    Details extends boolean = false,
    Throws extends boolean = false,
  >(
    ctx: MutationCtx,
    limits: ItemsOf<Limits, Refilling, Items>,
    options?: AnswerOptions<Details, Throws>,
  ): Promise<LimitAllReturns<Details, Throws>>;
  async limitAll(
    ctx: MutationCtx,
    limits: readonly LimitAllItem[],
    options?: AnswerOptions<boolean>,
  ): Promise<LimitAllReturns> {
    const requests = this.requests("limitAll", limits);
    const status = await writing(ctx).runMutation(this.component.lib.limitAll, {
      limits: requests,
      details: options?.details,
    });
    if (status.ok) return this.warned(ctx, status);
    const refused = requests[status.blockedBy.index]!;
    await this.denied(ctx, refused, status.retryAfter, options?.throws);
    return status;
  }

  /**
   * Answers as `limitAll` would, and takes nothing. Outside a mutation it can be up to 17 s
   * old, like `check`. Writes nothing.
   *
   * @throws As `limitAll` does.
   */
  async checkAll<
    Items extends readonly unknown[],
    Details extends boolean = false,
    Throws extends boolean = false,
  >(
    ctx: QueryCtx,
    limits: ItemsOf<Limits, Refilling, Items>,
    options?: AnswerOptions<Details, Throws>,
  ): Promise<LimitAllReturns<Details, Throws>>;
  async checkAll(
    ctx: QueryCtx,
    limits: readonly LimitAllItem[],
    options?: AnswerOptions<boolean>,
  ): Promise<LimitAllReturns> {
    const requests = this.requests("checkAll", limits);
    const args = { limits: requests, details: options?.details };
    const { lib } = this.component;
    const status = asksFresh(ctx, ...requests.map(({ config }) => config))
      ? await ctx.runMutation(lib.checkAllFresh, args)
      : await ctx.runQuery(lib.checkAll, args);
    if (!status.ok && options?.throws === true) {
      const { name, key } = requests[status.blockedBy.index]!;
      throw rateLimitedError(name, key, status.retryAfter);
    }
    return status;
  }

  /**
   * Makes a limit full again for a key, or without `key` for all who share it. Deletes its
   * rows; overrides stay. Use `credit` to give back a part. Of a concurrency limit
   * it ends all holds of the key.
   *
   * For a limit that the constructor does not name, `config` confirms that the name is no
   * misspelling, and says of which kind it is, and whether its updates are asynchronous.
   */
  async reset<
    Name extends ([keyof Limits] extends [never]
      ? string
      : NameOf<keyof Limits & string, Config>),
    Config = undefined,
  >(
    ctx: MutationCtx,
    name: Name,
    ...[options]: OptionsOf<
      Limits,
      Name,
      [keyof Limits] extends [never] ? LimitConfig : Config,
      KeyOption & ConfigOption<Config, WrittenConfig>
    >
  ): Promise<void>;
  async reset(
    ctx: MutationCtx,
    name: string,
    options: AccountOptions = {},
  ): Promise<void> {
    checkOptions(name, options);
    const isKnown =
      options.config !== undefined || Object.hasOwn(this.limits ?? {}, name);
    const account = isKnown
      ? this.account(name, options)
      : { name, key: options.key };
    await writing(ctx).runMutation(this.component.lib.resetRateLimit, account);
  }

  /**
   * The balance of the whole limit, the time at which it was right, and the config with
   * its defaults filled in: what `calculateRateLimit` needs to project it. To decide, use
   * `limit`. To ask whether a request would be granted, use `check`.
   *
   * Reads each row of the limit, or `sampleShards` random ones and scales them up.
   *
   * @throws An `Error` if `sampleShards` is not a whole number of at least 1.
   */
  async getValue<
    Name extends NameOf<keyof Limits & string, Config>,
    Config = undefined,
  >(
    ctx: QueryCtx,
    name: Name,
    ...[options]: OptionsOf<
      Limits,
      Name,
      Config,
      GetValueOptions & ConfigOption<Config, WrittenConfig>
    >
  ): Promise<
    GetValueReturns<ShownOf<Limits, Name, IsNamed<Config>, KindOf<Config>>>
  >;
  async getValue(
    ctx: QueryCtx,
    name: string,
    options?: GetValueOptions & { config?: LimitConfig },
  ): Promise<ShownValue> {
    return this.value(ctx, name, options);
  }

  /**
   * Gives tokens back. What does not fit below the capacity is discarded; `credited` says
   * how much found room, also while an override makes the key unlimited. Use `reset` to make
   * a limit full whatever it holds, and `hold` with `settle` to correct an estimate.
   *
   * Reads one row and writes it. Only a limit that is split reads more, when that row has
   * no room. A full limit is not written.
   *
   * @throws An `Error` if `count` is not above 0 and finite.
   */
  async credit<Name extends NameOf<Refilling, Config>, Config = undefined>(
    ctx: MutationCtx,
    name: Name,
    ...[options]: OptionsOf<
      Limits,
      Name,
      Config,
      AmountOptions & ConfigOption<Config>
    >
  ): Promise<{ credited: number }>;
  async credit(
    ctx: MutationCtx,
    name: string,
    options?: Request,
  ): Promise<{ credited: number }> {
    const amount = this.amount(name, options);
    return writing(ctx).runMutation(this.component.lib.credit, amount);
  }

  /**
   * Takes tokens without asking. The limit may go into debt, as deep as it takes; later
   * calls see the debt, and `retryAfter` says in how many ms it is paid. Use `limit` to ask
   * first, and `hold` with `settle` to correct an estimate.
   *
   * Reads and writes the rows that a reservation would.
   *
   * @throws An `Error` if `count` is not above 0 and finite.
   */
  async charge<Name extends NameOf<Refilling, Config>, Config = undefined>(
    ctx: MutationCtx,
    name: Name,
    ...[options]: OptionsOf<
      Limits,
      Name,
      Config,
      AmountOptions & ConfigOption<Config>
    >
  ): Promise<{ retryAfter?: number }>;
  async charge(
    ctx: MutationCtx,
    name: string,
    options?: Request,
  ): Promise<{ retryAfter?: number }> {
    const amount = this.amount(name, options);
    const { charge } = this.component.lib;
    return this.warned(ctx, await writing(ctx).runMutation(charge, amount));
  }

  /**
   * Takes tokens as `limit` does, and gives an id by which that can be corrected or taken
   * back, once: `settle` when you know what was used, `release` if it was nothing. Use it
   * where the cost is an estimate. If nobody ends a hold, its tokens stay taken.
   *
   * Of a concurrency limit it holds tokens until `release` or until its lease ends;
   * `renew` prolongs that. In an action `whileHolding` does all of it.
   *
   * Granted: writes what `limit` would, and one row more. Denied: writes what `limit` would,
   * nothing without `stats`. Of a concurrency limit it reads the rows of all holds of
   * the key, and writes one if granted.
   *
   * @throws As `limit` does, and an `Error` if `expiresAfter` is not above 0 and finite.
   */
  async hold<
    Name extends NameOf<keyof Limits & string, Config>,
    Config = undefined,
    Throws extends boolean = false,
  >(
    ctx: MutationCtx,
    name: Name,
    ...[options]: OptionsOf<
      Limits,
      Name,
      Config,
      HoldOptions<Throws, KindOfCall<Limits, Name, Config>> &
        ConfigOption<Config, WrittenConfig>
    >
  ): Promise<HoldReturns<IdOf<KindOfCall<Limits, Name, Config>>, Throws>>;
  async hold(
    ctx: MutationCtx,
    name: string,
    options: HoldOptions & { config?: LimitConfig } = {},
  ): Promise<HoldReturns> {
    const account = this.account(name, options);
    const { count, expiresAfter, throws } = options;
    const isInline = options.config !== undefined;
    const request = { ...account, count, isInline, expiresAfter };
    const held = await this.take(ctx, request, throws);
    if (!held.ok) return { ok: false, retryAfter: held.retryAfter };
    await this.warnedOfHold(ctx, held);
    const { id, wouldDeny } = held;
    return wouldDeny === true ? { ok: true, id, wouldDeny } : { ok: true, id };
  }

  /**
   * Replaces what a hold took by what was really used, and ends it. The difference is given
   * back, or taken without asking, into debt if need be. This happens once: a second `settle`
   * or `release` of an id, or one after it has expired, changes nothing and answers
   * `settled: false`. So an action that is retried may call it again.
   *
   * The config is the one that the limit has by then; that of `hold`, if it came with the
   * call, or if this limiter does not name the limit.
   *
   * What is held of a concurrency limit can only be released.
   *
   * Reads and deletes the hold's row; reads and writes the rows that `credit` or `charge`
   * would.
   *
   * @param id As `hold` gave it.
   * @throws An `Error` if `count` is negative or not finite, or the id is not that of a hold.
   */
  async settle(
    ctx: MutationCtx,
    id: HoldId,
    { count }: SettleOptions,
  ): Promise<{ settled: boolean }> {
    const config = this.configOfHold(id);
    const { settle } = this.component.holds;
    const used = { id, count, config };
    return this.warned(ctx, await writing(ctx).runMutation(settle, used));
  }

  /**
   * Ends a hold and gives back all that it took, once: as `settle` with a count of 0.
   *
   * @param id As `hold` gave it.
   * @throws An `Error` if the id is not that of a hold.
   */
  async release(ctx: MutationCtx, id: string): Promise<{ settled: boolean }> {
    const settled = { id, count: 0, config: this.configOfHold(id) };
    return writing(ctx).runMutation(this.component.holds.settle, settled);
  }

  /**
   * Gives a hold of a concurrency limit a full lease from now. `renewed: false` says
   * that it was released or that its lease has ended: somebody else may have its place.
   *
   * Reads the rows of all holds of the key and writes its own.
   *
   * @param id As `hold` gave it.
   * @throws An `Error` if the id is not that of such a hold.
   */
  async renew(ctx: MutationCtx, id: LeaseId): Promise<{ renewed: boolean }> {
    return writing(ctx).runMutation(this.component.holds.renew, { id });
  }

  /**
   * Holds a place of a concurrency limit, runs `work`, renews the lease while it
   * runs, and releases it whatever happens. Denied, it does not run. If the action crashes,
   * its place is free when the lease ends.
   *
   * ```ts
   * const status = await rateLimiter.whileHolding(ctx, "render", { key: userId }, () =>
   *   render(page),
   * );
   * ```
   *
   * For actions only. Each `hold`, `renew` and `release` is a transaction of its own. A lease
   * should be several times as long as such a call may take. Work that goes on after its
   * lease has ended, because the action was cut off from the database, is not stopped.
   *
   * @throws What `work` throws; as `hold` does.
   */
  async whileHolding<
    Name extends NameOf<Concurrency, Config>,
    Result,
    Config = undefined,
    Throws extends boolean = false,
  >(
    ctx: ActionCtx,
    name: Name,
    options: WhileHoldingOptions<Throws> &
      ConfigOption<Config, ConcurrencyConfig> &
      RequiredKey<Limits, Name, Config>,
    work: () => Result | Promise<Result>,
  ): Promise<WhileHoldingReturns<Result, Throws>>;
  async whileHolding<Result>(
    ctx: ActionCtx,
    name: string,
    options: WhileHoldingOptions & { config?: LimitConfig },
    work: () => Result | Promise<Result>,
  ): Promise<WhileHoldingReturns<Result>> {
    const { key, config } = this.account(name, options);
    const { count, throws } = options;
    if (config.kind !== "concurrency") {
      throw new Error(
        `Rate limit ${name}: whileHolding is for limits of kind "concurrency".`,
      );
    }
    if (!("runAction" in writing(ctx))) {
      throw new Error(
        `Rate limit ${name}: whileHolding is for actions. In a mutation call hold and release.`,
      );
    }
    const held = await this.take(ctx, { name, key, count, config }, throws);
    if (!held.ok) return { ok: false, retryAfter: held.retryAfter };
    const { id } = held;
    try {
      await this.warned(ctx, held);
      const result = await renewing(
        async () => work(),
        config.lease,
        async () => (await this.renew(ctx, id)).renewed,
      );
      return { ok: true, result };
    } finally {
      // If this fails, the lease ends by itself; what the work came to counts.
      await this.release(ctx, id).catch(() => undefined);
    }
  }

  /**
   * Reserves tokens and has `fn` run by `ctx.scheduler` when they exist: at once if they
   * do now. `fn` must not ask again. If the debt would be deeper than `maxReserved`, it
   * schedules nothing and answers `ok: false`. Use `limit` with `reserve` to run the work in
   * your own way.
   *
   * In a mutation all of it is one transaction. In an action the tokens stay taken if the
   * action ends before the function is scheduled.
   *
   * Reads and writes the rows that a reservation would, and a scheduled function.
   *
   * @throws As `limit` does, and an `Error` if `jitter` is negative or not finite.
   */
  async schedule<
    Name extends NameOf<Refilling, Config>,
    Fn extends Schedulable,
    Config = undefined,
    Throws extends boolean = false,
  >(
    ctx: SchedulingCtx,
    name: Name,
    options: ScheduleOptions<Fn, Throws> &
      ConfigOption<Config> &
      RequiredKey<Limits, Name, Config>,
  ): Promise<ScheduleReturns<Throws>>;
  async schedule<Fn extends SchedulableFunctionReference>(
    ctx: SchedulingCtx,
    name: string,
    options: ScheduleOptions<Fn> & { config?: LimitConfig },
  ): Promise<ScheduleReturns> {
    const { fn, args, jitter = 0, throws } = options;
    if (!(Number.isFinite(jitter) && jitter >= 0)) {
      throw new Error(
        `Rate limit ${name}: jitter must be a finite number of at least 0, but is ${jitter}.`,
      );
    }
    const isInline = options.config !== undefined;
    const amount = this.amount(name, options);
    const delay = Math.floor(Math.random() * jitter);
    // It must not end before the work could have begun.
    const expiresAfter = delay + DAY;
    const request = { ...amount, isInline, reserve: true, expiresAfter };
    const { holds } = this.component;
    const status = await this.take(ctx, request, throws);
    if (!status.ok) return { ok: false, retryAfter: status.retryAfter };
    await this.warnedOfHold(ctx, status);
    const retryAfter = (status.retryAfter ?? 0) + delay;
    const scheduledId = await ctx.scheduler.runAfter(
      retryAfter,
      fn,
      // The compiler cannot see through the conditional type of the rest arguments.
      ...([args] as unknown as OptionalRestArgs<Fn>),
    );
    await ctx.runMutation(holds.attach, { id: status.id, scheduledId });
    return { ok: true, retryAfter, scheduledId };
  }

  /**
   * Cancels what `schedule` has scheduled and gives back what it took, as `release` does,
   * unless it has already started. Any other scheduled function is left alone:
   * `cancelled: false`. Check whose job it is before you cancel it for a client.
   *
   * Reads and writes the scheduled function, and the rows that `credit` would.
   */
  async cancelScheduled(
    ctx: CancellingCtx,
    scheduledId: GenericId<"_scheduled_functions">,
  ): Promise<{ cancelled: boolean }> {
    const { db } = writing(ctx);
    const job = await db.system.get("_scheduled_functions", scheduledId);
    if (job?.state.kind !== "pending") return { cancelled: false };
    const { holds } = this.component;
    const limits = this.present();
    const args = { scheduledId, limits };
    const { found } = await ctx.runMutation(holds.releaseScheduled, args);
    if (found) await ctx.scheduler.cancel(scheduledId);
    return { cancelled: found };
  }

  /**
   * Changes the rule for one key, or without `key` for the whole limit, from the next
   * transaction on: `{ config }` lays rate, period, capacity, maxReserved or enforce over
   * the config, `{ deny: true }` bans, `{ unlimited: true }` grants everything and consumes
   * nothing. A key's override wins over the limit's.
   *
   * The last one that has begun holds. When one with `expiresAt` ends, the one below it
   * applies again. One without `expiresAt` replaces all that holds. With `startsAt` it begins
   * then, and replaces only another that was still to begin. Without, it also lifts a ban of
   * `penalize`.
   *
   * Of one key, or of the whole limit, one that lasts, two that end and one that is still to
   * begin are kept. A third that ends replaces the one of the two that began first.
   *
   * Only for limits with `overrides: true` in their config. Reads at most five rows, writes
   * one, and deletes what it replaces.
   *
   * @throws An `Error` if the limit lacks `overrides: true` or a number is bad.
   */
  async setOverride(
    ctx: MutationCtx,
    name: NameWith<Limits, "overrides", true> | LimitWith<"overrides: true">,
    { key, startsAt, expiresAt, note, ...override }: SetOverrideOptions,
  ): Promise<void> {
    this.requireOverrides(name);
    if (this.isNamed() && override.config !== undefined) {
      const config = configOf(this.limits, name, undefined);
      requireOverridable(name, toStored(config), override.config);
    }
    const args = { name, key, override, startsAt, expiresAt, note };
    await writing(ctx).runMutation(this.component.overrides.setOverride, args);
  }

  /**
   * Bans a key, for longer each time: for the first of `bans`, then for the second, and so
   * on; the last one repeats. A key that is banned already is banned anew, from now, for the
   * next one. `forgetAfter` ms after the last ban has ended it begins with the first again.
   * `retryAfter` says in how many ms this ban ends.
   *
   * The ban holds until its end, also if an override that was scheduled before begins
   * meanwhile; other overrides apply again after it. `clearOverride` lifts it and forgets the
   * ones before, and so does a `setOverride` that holds at once. One that is set after the ban
   * has ended forgets nothing.
   *
   * ```ts
   * await rateLimiter.penalize(ctx, "message", {
   *   key: userId,
   *   bans: [10 * MINUTE, HOUR, DAY],
   *   forgetAfter: WEEK,
   * });
   * ```
   *
   * Only for limits with `overrides: true` in their config. Reads the key's overrides, at
   * most five; writes one row, in place of the ban before.
   *
   * @throws An `Error` if the limit lacks `overrides: true` or a number is bad.
   */
  async penalize(
    ctx: MutationCtx,
    name: NameWith<Limits, "overrides", true> | LimitWith<"overrides: true">,
    { key, bans, forgetAfter, note }: PenalizeOptions,
  ): Promise<{ retryAfter: number }> {
    this.requireOverrides(name);
    const args = { name, key, bans: [...bans], forgetAfter, note };
    return writing(ctx).runMutation(this.component.overrides.penalize, args);
  }

  /**
   * Removes the overrides of one key, or without `key` those of the whole limit: also what is
   * still to begin, and bans that have ended, of which `penalize` then knows nothing. Reads
   * at most five rows, and deletes them.
   */
  async clearOverride(
    ctx: MutationCtx,
    name: RateLimitName<Limits>,
    options: KeyOption = {},
  ): Promise<void> {
    checkOptions(name, options);
    const { key } = options;
    await writing(ctx).runMutation(this.component.overrides.clearOverride, {
      name,
      key,
    });
  }

  /**
   * The overrides that hold, lie below one that ends, or are still to begin: of one limit or
   * of all, by name and key, a page at a time. With a `key`, only those of that key.
   *
   * Reads the rows that it gives, and those between them that apply no more.
   *
   * @throws An `Error` if there is a `key` without a `name`.
   */
  async listOverrides(
    ctx: QueryCtx,
    options: {
      /**
       * Only those of this limit.
       * @default all limits
       */
      name?: AnyName<keyof Limits & string> | undefined;
      /**
       * Only those of this key; null: only those of the whole limit. Needs a `name`.
       * @default all keys, and the whole limit
       */
      key?: string | null | undefined;
      /** Which page. */
      paginationOpts: PaginationOptions;
    },
  ): Promise<{
    page: RateLimitOverride[];
    isDone: boolean;
    continueCursor: string;
  }> {
    return reading(ctx).runQuery(this.component.list.listOverrides, options);
  }

  /**
   * The keys that are in use, for operators, a page at a time: the balance now, the
   * capacity, when it was last used, whether it is limited, and its override, if any.
   * The balance is projected for the limits that the constructor names. A page may hold
   * fewer entries than asked for; go on until `isDone`. Outside a mutation a page can be up
   * to 17 s old, like `check`.
   *
   * Reads the page's rows, the rows of each of its keys, and their overrides.
   *
   * @throws An `Error` if there is a `prefix` without a `name`, or with `order: "depleted"`.
   */
  async list(
    ctx: QueryCtx,
    options: RateLimitListOptions<Limits>,
  ): Promise<{ page: ListedKey[]; isDone: boolean; continueCursor: string }> {
    const limits = this.present();
    return reading(ctx).runQuery(this.component.list.list, {
      ...options,
      limits,
    });
  }

  /**
   * How many calls of a limit were granted and denied, and the tokens that they took: a
   * bucket for each minute or hour that the range touches, in their order, also where there
   * was no call. Minutes are kept for a day, hours for 30 days; what is older is 0.
   *
   * ```ts
   * const now = Date.now();
   * await rateLimiter.stats(ctx, "message", { from: now - HOUR, to: now, by: "minute" });
   * ```
   *
   * For limits with `stats` in their config, and all keys together. Each call of `limit`,
   * `hold` and `schedule` counts, and each item of `limitAll`: also one of an unlimited key,
   * which takes no tokens, or one that a dry run lets through (`granted`), and one of a banned
   * key (`denied`). Of a list that is denied only the items count whose own limit refuses.
   * `check`, `charge`, `credit`, `settle` and `release` do not count.
   *
   * Exact for every call whose transaction commits, unless `stats` is a share. What is not
   * counted: a denial whose transaction throws, as with `throws: true` in a mutation that does
   * not catch it, and a count that is above the capacity. To count denials that would throw,
   * return them, or catch the error, or call `limit` from an action.
   *
   * Reads a row for each bucket, and the events that are not folded yet, some dozens as a
   * rule; so a query that is subscribed to runs again after each call of the limit. For
   * dashboards: in a mutation it conflicts with every call.
   *
   * @throws An `Error` if the limit lacks `stats`, or the range is empty or too long.
   */
  async stats(
    ctx: QueryCtx,
    name: NameWith<Limits, "stats", true | number> | LimitWith<"stats: true">,
    { from, to, by }: RateLimitStatsOptions,
  ): Promise<RateLimitStats[]> {
    this.requireStats(name);
    const args = { name, from, to, by };
    return reading(ctx).runQuery(this.component.stats.stats, args);
  }

  /**
   * The keys that a limit denied most, in all hours that the range touches, the most first.
   * They are kept for 30 days. Counts what `stats` does, of calls with a key.
   *
   * Of each hour 100 keys are kept. As long as no more were denied, the numbers are
   * exact; else each can be too low, by at most a 101st of all denials of those hours, and a
   * key that was denied less often than that can be missing. None is too high.
   *
   * Reads a row for each hour, and the events that are not folded yet.
   *
   * @throws An `Error` if the limit lacks `stats`, or the range is empty or longer than 30 days.
   */
  async topDenied(
    ctx: QueryCtx,
    name: NameWith<Limits, "stats", true | number> | LimitWith<"stats: true">,
    { from, to, limit }: TopDeniedOptions,
  ): Promise<DeniedKey[]> {
    this.requireStats(name);
    const args = { name, from, to, limit };
    return reading(ctx).runQuery(this.component.stats.topDenied, args);
  }

  /**
   * The functions that the hook `useRateLimit` calls, to be exported from the app. They
   * answer for this limit and for the key that the host resolves; the browser can choose
   * neither the limit nor its config.
   *
   * ```ts
   * export const { getRateLimit, getServerTime } = rateLimiter.hookAPI("sendMessage", {
   *   key: async (ctx) => (await requireUser(ctx))._id,
   * });
   * ```
   */
  hookAPI<
    DataModel extends GenericDataModel,
    Name extends NameOf<keyof Limits & string, Config> =
      Refilling | Concurrency,
    Config = undefined,
  >(
    name: Name,
    options?: HookAPIOptions<DataModel> & ConfigOption<Config, WrittenConfig>,
  ): HookAPIFunctions<ShownOf<Limits, Name, IsNamed<Config>, KindOf<Config>>>;
  hookAPI<DataModel extends GenericDataModel>(
    name: string,
    options: HookAPIOptions<DataModel> & { config?: LimitConfig } = {},
  ): HookAPIFunctions<ShownConfig> {
    checkOptions(name, options);
    const { key, sampleShards, config } = options;
    const found = configOf(this.limits, name, config);
    if (typeof key !== "function") checkKey(name, found, key);
    const query: QueryBuilder<DataModel, "public"> = queryGeneric;
    return {
      getRateLimit: query({
        args: {
          name: v.optional(v.string()),
          key: v.optional(v.string()),
          sampleShards: v.optional(v.number()),
          // Whatever it is, it is refused.
          config: v.optional(v.any()),
        },
        handler: async (ctx, args): Promise<ShownValue> => {
          if (args.name !== undefined && args.name !== name) {
            throw new Error(
              `This query is for the rate limit ${name}, not for ${args.name}.`,
            );
          }
          if (args.config !== undefined) {
            throw new Error(
              `Rate limit ${name}: the config is the server's to choose.`,
            );
          }
          if (args.key !== undefined && typeof key !== "function") {
            throw new Error(
              `Rate limit ${name}: to let clients send a key, give hookAPI a key function that checks it.`,
            );
          }
          const asked =
            typeof key === "function"
              ? foundKey(name, await key(ctx, args.key))
              : (key ?? undefined);
          return this.value(ctx, name, {
            key: asked,
            sampleShards: args.sampleShards ?? sampleShards,
            config,
          });
        },
      }),
      getServerTime: mutationGeneric({
        args: {},
        returns: v.number(),
        handler: async () => Date.now(),
      }),
    };
  }

  /** The limit and key that a call is about, with the config that it is to go by. */
  private account(name: string, options: AccountOptions = {}) {
    checkOptions(name, options);
    const { key } = options;
    const config = configOf(this.limits, name, options.config);
    checkKey(name, config, key);
    return { name, key, config: this.stored(config) };
  }

  /** A config as the component is told it. */
  private stored(config: LimitConfig): StoredConfig {
    const stored = toStored(config);
    return stored.kind === "concurrency" || this.options.advice !== false
      ? stored
      : { ...stored, advice: false };
  }

  /** The same of a limit that refills with time. */
  private refilling(name: string, options?: AccountOptions) {
    const { config, ...account } = this.account(name, options);
    requireRefilling(name, config);
    return { ...account, config };
  }

  private request(name: string, options?: Request) {
    const account = this.refilling(name, options);
    const { count, reserve, leave } = options ?? {};
    return { ...account, count, reserve, leave };
  }

  private requests(
    verb: string,
    items: readonly (Request & { name: string; upTo?: boolean })[],
  ) {
    if (items.length === 0) {
      throw new Error(`${verb}: the list is empty. Name at least one limit.`);
    }
    for (const { name, upTo } of items) {
      if (upTo !== true) continue;
      throw new Error(
        `Rate limit ${name}: upTo is for limit and check, not for a list.`,
      );
    }
    return items.map((item) => this.request(item.name, item));
  }

  private amount(name: string, options?: Request) {
    return { ...this.refilling(name, options), count: options?.count };
  }

  /** Holds tokens, and tells what is to be told of a denial. */
  private async take(
    ctx: MutationCtx,
    asked: FunctionArgs<ComponentApi["holds"]["hold"]>,
    throws: boolean | undefined,
  ) {
    const { hold } = this.component.holds;
    const status = await writing(ctx).runMutation(hold, asked);
    if (!status.ok) await this.denied(ctx, asked, status.retryAfter, throws);
    return status;
  }

  private async value(
    ctx: QueryCtx,
    name: string,
    options?: GetValueOptions & { config?: LimitConfig },
  ): Promise<ShownValue> {
    const account = this.account(name, options);
    const { lib } = this.component;
    const args = { ...account, sampleShards: options?.sampleShards };
    return asksFresh(ctx, account.config)
      ? ctx.runMutation(lib.getValueFresh, args)
      : ctx.runQuery(lib.getValue, args);
  }

  /** The config that the limit of a hold has now, if the constructor names it. */
  private configOfHold(id: string): StoredConfig | undefined {
    const { name } = parseHoldId(String(id));
    if (name === undefined || !Object.hasOwn(this.limits ?? {}, name)) {
      return undefined;
    }
    return this.stored(configOf(this.limits, name, undefined));
  }

  /** Whether the constructor was given limits; a limiter without takes any name. */
  private isNamed(): boolean {
    return Object.keys(this.limits ?? {}).length > 0;
  }

  /** The limits that the constructor names, as they are now. */
  private present(): NamedLimits {
    return Object.entries(this.limits ?? {}).map(([name, config]) => ({
      name,
      config: this.stored(config),
    }));
  }

  private requireOverrides(name: string): void {
    if (!this.isNamed()) return;
    if (configOf(this.limits, name, undefined).overrides === true) return;
    throw new Error(
      `Rate limit ${name}: overrides must be true in its config for an override to take effect.`,
    );
  }

  private requireStats(name: string): void {
    if (!this.isNamed()) return;
    const { stats = false } = configOf(this.limits, name, undefined);
    if (stats !== false) return;
    throw new Error(
      `Rate limit ${name}: stats must be true, or a share, in its config for its calls to be counted.`,
    );
  }

  /** Tells what there is to warn of, which is no part of the answer. */
  private async warned<Answer extends { warnings?: Warnings }>(
    ctx: MutationCtx,
    answer: Answer,
  ): Promise<Answer> {
    const { warnings = [] } = answer;
    delete answer.warnings;
    for (const { name, key, ...warning } of warnings) {
      await this.options.onWarning?.(ctx, { name, key, ...warning });
    }
    return answer;
  }

  /** If that throws, nobody gets to know the id of the hold, so it is released. */
  private async warnedOfHold(
    ctx: MutationCtx,
    held: { id: string; warnings?: Warnings },
  ): Promise<void> {
    try {
      await this.warned(ctx, held);
    } catch (error) {
      // If this fails, too, the hold expires by itself.
      await this.release(ctx, held.id).catch(() => undefined);
      throw error;
    }
  }

  private async denied(
    ctx: MutationCtx,
    { name, key, count = 1 }: AmountOptions & { name: string },
    retryAfter: number,
    throws: boolean | undefined,
  ): Promise<void> {
    await this.options.onDenied?.(ctx, { name, key, count, retryAfter });
    if (throws === true) throw rateLimitedError(name, key, retryAfter);
  }
}

/** What `getValue` returns of a limit of either kind. */
type ShownValue = GetValueReturns<ShownConfig>;

/** What any call says of the limit that it is about. */
type AccountOptions = KeyOption & { config?: LimitConfig | undefined };

type Warnings = FunctionReturnType<ComponentApi["holds"]["settle"]>["warnings"];

/** What a call asks, whatever the verb. */
type Request = RequestOptions & AccountOptions;

/** What a call asks of one limit alone. */
type SingleRequest = Request & AnswerOptions<boolean> & { upTo?: boolean };

function requireComponent(component: ComponentApi | undefined): void {
  const wanted =
    "Give components.rateLimiter, from ./_generated/api, as the first argument";
  if (component === undefined || component === null) {
    throw new Error(
      `new RateLimiter: the component is ${component}. Mount it in convex/convex.config.ts with app.use(rateLimiter), and run npx convex dev. ${wanted}.`,
    );
  }
  if (isComponent(component)) return;
  throw new Error(
    `new RateLimiter: what it was given is not this component. ${wanted}, and not components.`,
  );
}

/** How Convex asks a component where it is. All components together do not know, and throw. */
const REFERENCE = Symbol.for("toReferencePath");

function isComponent(component: ComponentApi): boolean {
  try {
    void Reflect.get(component, REFERENCE);
    return component.lib !== undefined;
  } catch {
    return false;
  }
}

/** A period in seconds, most likely, where one in ms belongs. */
function adviseOnPeriod(name: string, { period }: LimitConfig): void {
  if (typeof period !== "number" || period >= SECOND) return;
  console.warn(
    `Rate limit ${name}: its period is ${period} ms, less than a second. Periods are in ms, such as 60 * SECOND (advice: false in the limiter's options silences this).`,
  );
}

/**
 * Whether to ask by a mutation that writes nothing: of a limit whose calls do not wait for
 * each other, a mutation must not depend on what it is told.
 */
function asksFresh(
  ctx: QueryCtx,
  ...configs: readonly StoredConfig[]
): ctx is MutationCtx {
  return "runMutation" in reading(ctx) && configs.some(isAsynchronous);
}
