import {
  mutationGeneric,
  queryGeneric,
  type GenericDataModel,
  type OptionalRestArgs,
  type PaginationOptions,
  type QueryBuilder,
  type SchedulableFunctionReference,
} from "convex/server";
import { v } from "convex/values";
import type { ComponentApi } from "../component/_generated/component.js";
import {
  validateConfig,
  vConfig,
  type RateLimitConfig,
} from "../core/config.js";
import { rateLimitedError } from "../core/errors.js";
import { vValue } from "../core/validators.js";
import type {
  AmountArgs,
  Answer,
  AnswerArgs,
  CancellingCtx,
  GetValueReturns,
  HookAPI,
  HookOptions,
  KeyArgs,
  ListAnswer,
  ListArgs,
  ListedKey,
  ListItem,
  LimitName,
  MutationCtx,
  OverrideArgs,
  QueryCtx,
  RateLimiterOptions,
  RequestArgs,
  ScheduleArgs,
  Scheduled,
  ScheduledId,
  SchedulingCtx,
  StoredOverride,
  WithConfig,
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
 * Every call takes part in the caller's transaction: if the caller's mutation throws,
 * nothing was consumed. If the component fails, so does the caller's mutation; nothing
 * is granted by default. In an action each call is a transaction of its own.
 */
export class RateLimiter<
  Limits extends Record<string, RateLimitConfig> = Record<never, never>,
> {
  /**
   * @param component `components.rateLimiter`, from `./_generated/api`.
   * @param limits The named limits. A name that is not here needs a `config` in each call.
   * @throws An `Error` that names the limit, the field and the value of a bad config.
   */
  constructor(
    readonly component: ComponentApi,
    readonly limits?: Limits,
    private readonly options: RateLimiterOptions = {},
  ) {
    for (const [name, config] of Object.entries(limits ?? {})) {
      validateConfig(name, config);
    }
  }

  /**
   * Takes tokens, or says when it could. Use `check` to ask without taking,
   * `limitAll` to take from several limits at once, `charge` to take regardless.
   *
   * Granted: reads one row and writes it; more rows only of a limit that is split, when
   * its row at hand is short. Denied: writes nothing.
   *
   * @throws `ConvexError` with `{ kind: "RateLimited" }` if denied and `throws`; with
   * `{ kind: "ExceedsCapacity" }` if `count` is more than could ever be granted.
   * `Error` if `count` is negative or not finite.
   */
  async limit<Details extends boolean = false>(
    ctx: MutationCtx,
    name: keyof Limits & string,
    options?: RequestArgs & AnswerArgs<Details>,
  ): Promise<Answer<Details>>;
  async limit<Details extends boolean = false>(
    ctx: MutationCtx,
    name: string,
    options: WithConfig<RequestArgs & AnswerArgs<Details>>,
  ): Promise<Answer<Details>>;
  async limit(
    ctx: MutationCtx,
    name: string,
    { throws, ...request }: RequestArgs & AnswerArgs<boolean> = {},
  ): Promise<Answer<boolean>> {
    const item = this.item(name, request);
    const status = await ctx.runMutation(this.component.lib.rateLimit, item);
    if (!status.ok) await this.denied(ctx, item, status.retryAfter, throws);
    return status;
  }

  /**
   * Says what `limit` would, and takes nothing. In a mutation it reads what `limit`
   * would read, so that the answer still holds when the mutation commits.
   *
   * @throws As `limit` does.
   */
  async check<Details extends boolean = false>(
    ctx: QueryCtx,
    name: keyof Limits & string,
    options?: RequestArgs & AnswerArgs<Details>,
  ): Promise<Answer<Details>>;
  async check<Details extends boolean = false>(
    ctx: QueryCtx,
    name: string,
    options: WithConfig<RequestArgs & AnswerArgs<Details>>,
  ): Promise<Answer<Details>>;
  async check(
    ctx: QueryCtx,
    name: string,
    { throws, ...request }: RequestArgs & AnswerArgs<boolean> = {},
  ): Promise<Answer<boolean>> {
    const item = this.item(name, request);
    const status = await ctx.runQuery(this.component.lib.checkRateLimit, item);
    if (!status.ok && throws === true) {
      throw rateLimitedError(name, item.key, status.retryAfter);
    }
    return status;
  }

  /**
   * Takes from all of the limits or from none, in one call of the component. The same
   * limit and key may come twice, and then must fit twice.
   *
   * Reads and writes the rows that the single calls would; denied, it writes nothing.
   *
   * @throws As `limit` does, for the first limit that refuses.
   */
  async limitAll<Details extends boolean = false>(
    ctx: MutationCtx,
    limits: readonly ListItem<Limits>[],
    { throws, details }: AnswerArgs<Details> = {},
  ): Promise<ListAnswer<Details>> {
    const items = limits.map((item) => this.item(item.name, item));
    const status = await ctx.runMutation(this.component.lib.limitAll, {
      limits: items,
      details,
    });
    if (!status.ok) {
      const refused = items[status.blockedBy.index]!;
      await this.denied(ctx, refused, status.retryAfter, throws);
    }
    return status;
  }

  /**
   * Says what `limitAll` would, and takes nothing.
   *
   * @throws As `limitAll` does.
   */
  async checkAll<Details extends boolean = false>(
    ctx: QueryCtx,
    limits: readonly ListItem<Limits>[],
    { throws, details }: AnswerArgs<Details> = {},
  ): Promise<ListAnswer<Details>> {
    const items = limits.map((item) => this.item(item.name, item));
    const status = await ctx.runQuery(this.component.lib.checkAll, {
      limits: items,
      details,
    });
    if (!status.ok && throws === true) {
      const { name, key } = items[status.blockedBy.index]!;
      throw rateLimitedError(name, key, status.retryAfter);
    }
    return status;
  }

  /**
   * Makes a limit full again for a key, or without `key` for the shared bucket. Deletes
   * its rows.
   */
  async reset(
    ctx: MutationCtx,
    name: keyof Limits & string,
    options?: KeyArgs,
  ): Promise<void>;
  async reset(ctx: MutationCtx, name: string, options?: KeyArgs): Promise<void>;
  async reset(
    ctx: MutationCtx,
    name: string,
    { key }: KeyArgs = {},
  ): Promise<void> {
    await ctx.runMutation(this.component.lib.resetRateLimit, { name, key });
  }

  /**
   * The balance of the whole limit, the time at which it was right, and the config with
   * its defaults filled in: what `calculateRateLimit` needs to project it.
   *
   * Reads each row of the limit, or `sampleShards` random ones and scales them up.
   */
  async getValue(
    ctx: QueryCtx,
    name: keyof Limits & string,
    options?: KeyArgs & { sampleShards?: number },
  ): Promise<GetValueReturns>;
  async getValue(
    ctx: QueryCtx,
    name: string,
    options: WithConfig<KeyArgs & { sampleShards?: number }>,
  ): Promise<GetValueReturns>;
  async getValue(
    ctx: QueryCtx,
    name: string,
    { key, config, sampleShards }: KeyArgs & { sampleShards?: number } = {},
  ): Promise<GetValueReturns> {
    return ctx.runQuery(this.component.lib.getValue, {
      name,
      key,
      sampleShards,
      config: this.config(name, config),
    });
  }

  /**
   * Gives tokens back, for example when an estimate was too high. What does not fit
   * below the capacity is discarded; `credited` says how much found room.
   *
   * Reads one row and writes it; more rows only of a limit that is split and whose row
   * has no room. A full limit is not written.
   *
   * @throws An `Error` if `count` is not above 0 and finite.
   */
  async credit(
    ctx: MutationCtx,
    name: keyof Limits & string,
    options?: AmountArgs,
  ): Promise<{ credited: number }>;
  async credit(
    ctx: MutationCtx,
    name: string,
    options: WithConfig<AmountArgs>,
  ): Promise<{ credited: number }>;
  async credit(
    ctx: MutationCtx,
    name: string,
    { key, count, config }: AmountArgs = {},
  ): Promise<{ credited: number }> {
    return ctx.runMutation(this.component.lib.credit, {
      name,
      key,
      count,
      config: this.config(name, config),
    });
  }

  /**
   * Takes tokens without asking, for example when an estimate was too low. The limit may
   * go into debt, as deep as it takes; later calls see it, and `retryAfter` says when it
   * is paid. Use `limit` to ask first.
   *
   * Reads and writes the rows that a reservation would.
   *
   * @throws An `Error` if `count` is not above 0 and finite.
   */
  async charge(
    ctx: MutationCtx,
    name: keyof Limits & string,
    options?: AmountArgs,
  ): Promise<{ retryAfter?: number }>;
  async charge(
    ctx: MutationCtx,
    name: string,
    options: WithConfig<AmountArgs>,
  ): Promise<{ retryAfter?: number }>;
  async charge(
    ctx: MutationCtx,
    name: string,
    { key, count, config }: AmountArgs = {},
  ): Promise<{ retryAfter?: number }> {
    return ctx.runMutation(this.component.lib.charge, {
      name,
      key,
      count,
      config: this.config(name, config),
    });
  }

  /**
   * Reserves tokens and has `fn` run by `ctx.scheduler` when they exist: at once if they
   * do now. `fn` must not ask again. Refused (the debt would be deeper than
   * `maxReserved`), it schedules nothing.
   *
   * In a mutation all of it is one transaction. In an action the tokens stay taken if the
   * action ends before the function is scheduled.
   *
   * @throws As `limit` does, and an `Error` if `jitter` is negative or not finite.
   */
  async schedule<Fn extends SchedulableFunctionReference>(
    ctx: SchedulingCtx,
    name: keyof Limits & string,
    options: ScheduleArgs<Fn>,
  ): Promise<Scheduled>;
  async schedule<Fn extends SchedulableFunctionReference>(
    ctx: SchedulingCtx,
    name: string,
    options: WithConfig<ScheduleArgs<Fn>>,
  ): Promise<Scheduled>;
  async schedule<Fn extends SchedulableFunctionReference>(
    ctx: SchedulingCtx,
    name: string,
    { fn, args, jitter = 0, ...request }: ScheduleArgs<Fn>,
  ): Promise<Scheduled> {
    if (!(Number.isFinite(jitter) && jitter >= 0)) {
      throw new Error(
        `Rate limit ${name}: jitter must be a finite number of at least 0, but is ${jitter}.`,
      );
    }
    const item = { ...this.item(name, request), reserve: true };
    const { holds } = this.component;
    const status = await ctx.runMutation(holds.hold, item);
    if (!status.ok) {
      await this.denied(ctx, item, status.retryAfter, false);
      return { ok: false, retryAfter: status.retryAfter };
    }
    const retryAfter =
      (status.retryAfter ?? 0) + Math.floor(Math.random() * jitter);
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
   * Cancels what `schedule` has scheduled and gives back what it took, unless it has
   * already started.
   */
  async cancelScheduled(
    ctx: CancellingCtx,
    scheduledId: ScheduledId,
  ): Promise<{ cancelled: boolean }> {
    const job = await ctx.db.system.get("_scheduled_functions", scheduledId);
    if (job?.state.kind !== "pending") return { cancelled: false };
    await ctx.scheduler.cancel(scheduledId);
    await ctx.runMutation(this.component.holds.releaseScheduled, {
      scheduledId,
    });
    return { cancelled: true };
  }

  /**
   * Changes the rule for one key, or without `key` for the whole limit, from the next
   * transaction on: `{ config }` lays rate, period, capacity or maxReserved over the
   * config, `{ deny: true }` bans, `{ unlimited: true }` grants everything and consumes
   * nothing. A key's override wins over the limit's. Replaces the one that was there.
   *
   * @throws An `Error` if the limit lacks `overrides: true` or a number is bad.
   */
  async setOverride(
    ctx: MutationCtx,
    name: LimitName<Limits>,
    { key, startsAt, expiresAt, note, ...override }: OverrideArgs,
  ): Promise<void> {
    this.requireOverrides(name);
    const args = { name, key, override, startsAt, expiresAt, note };
    await ctx.runMutation(this.component.overrides.setOverride, args);
  }

  /** Removes the override of one key, or without `key` that of the whole limit. */
  async clearOverride(
    ctx: MutationCtx,
    name: LimitName<Limits>,
    { key }: { key?: string } = {},
  ): Promise<void> {
    await ctx.runMutation(this.component.overrides.clearOverride, {
      name,
      key,
    });
  }

  /**
   * The overrides that have not expired, of one limit or of all, by name and key, a page
   * at a time.
   */
  async listOverrides(
    ctx: QueryCtx,
    options: { name?: string; paginationOpts: PaginationOptions },
  ): Promise<{
    page: StoredOverride[];
    isDone: boolean;
    continueCursor: string;
  }> {
    return ctx.runQuery(this.component.overrides.listOverrides, options);
  }

  /**
   * The keys that are in use, for operators, a page at a time: the balance now, the
   * capacity, when it was last used, whether it is limited, and its override, if any.
   * The balance is projected for the limits that the constructor names.
   */
  async list(
    ctx: QueryCtx,
    options: ListArgs,
  ): Promise<{ page: ListedKey[]; isDone: boolean; continueCursor: string }> {
    const limits = Object.entries(this.limits ?? {}).map(([name, config]) => ({
      name,
      config,
    }));
    return ctx.runQuery(this.component.list.list, { ...options, limits });
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
  hookAPI<DataModel extends GenericDataModel>(
    name: keyof Limits & string,
    options?: HookOptions<DataModel>,
  ): HookAPI;
  hookAPI<DataModel extends GenericDataModel>(
    name: string,
    options: WithConfig<HookOptions<DataModel>>,
  ): HookAPI;
  hookAPI<DataModel extends GenericDataModel>(
    name: string,
    options: HookOptions<DataModel> = {},
  ): HookAPI {
    const config = this.config(name, options.config);
    const query: QueryBuilder<DataModel, "public"> = queryGeneric;
    return {
      getRateLimit: query({
        args: {
          name: v.optional(v.string()),
          key: v.optional(v.string()),
          sampleShards: v.optional(v.number()),
          config: v.optional(vConfig),
        },
        returns: vValue,
        handler: async (ctx, args): Promise<GetValueReturns> => {
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
          if (args.key !== undefined && typeof options.key !== "function") {
            throw new Error(
              `Rate limit ${name}: to let clients send a key, give hookAPI a key function that checks it.`,
            );
          }
          const key =
            typeof options.key === "function"
              ? await options.key(ctx, args.key)
              : options.key;
          return ctx.runQuery(this.component.lib.getValue, {
            name,
            key,
            config,
            sampleShards: args.sampleShards ?? options.sampleShards,
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

  private item<Args extends KeyArgs>(name: string, args: Args) {
    return { ...args, name, config: this.config(name, args.config) };
  }

  private config(
    name: string,
    inline: RateLimitConfig | undefined,
  ): RateLimitConfig {
    if (inline !== undefined) return inline;
    const { limits } = this;
    const config =
      limits !== undefined && Object.hasOwn(limits, name)
        ? limits[name]
        : undefined;
    if (config === undefined) {
      throw new Error(
        `Rate limit ${name} is not defined. Name it in the constructor, or give a config.`,
      );
    }
    return config;
  }

  private requireOverrides(name: string): void {
    if (Object.keys(this.limits ?? {}).length === 0) return;
    if (this.config(name, undefined).overrides === true) return;
    throw new Error(
      `Rate limit ${name}: overrides must be true in its config for an override to take effect.`,
    );
  }

  private async denied(
    ctx: MutationCtx,
    { name, key, count = 1 }: { name: string; key?: string; count?: number },
    retryAfter: number,
    throws: boolean | undefined,
  ): Promise<void> {
    await this.options.onDenied?.(ctx, { name, key, count, retryAfter });
    if (throws === true) throw rateLimitedError(name, key, retryAfter);
  }
}
