import type {
  GenericDataModel,
  OptionalRestArgs,
  SchedulableFunctionReference,
} from "convex/server";
import type { GenericId } from "convex/values";
import type { ComponentApi } from "../component/_generated/component.js";
import type {
  LimitConfig,
  ShownConfig,
  WrittenConfig,
} from "../core/config.js";
import type { GetValueReturns } from "../core/value.js";
import { requireField } from "../core/checks.js";
import { DAY } from "../core/periods.js";
import { Calls, limitOfHold, requireGranted } from "./calls.js";
import {
  checkLimits,
  checkMutationCall,
  checkOptions,
  checkQueryCall,
  fail,
  requireCtx,
  requireKeyString,
  requireList,
} from "./checks.js";
import { hookFunctions } from "./hookAPI.js";
import { whileHolding } from "./whileHolding.js";
import type {
  Flag,
  IdOf,
  IdsOf,
  Inferred,
  InferredFields,
  ItemsOf,
  Kind,
  KindOf,
  MaybePromise,
  NameOf,
  NameWith,
  OptionsWith,
  RefillingNameOf,
  ShownConfigOf,
} from "./inference.js";
import type {
  ActionCtx,
  AnswerOptions,
  CancellingCtx,
  ChargeOptions,
  ChargeReturns,
  CheckOptions,
  ConfigOption,
  CreditOptions,
  DeniedKey,
  ForgetOptions,
  ForgetReturns,
  GetValueOptions,
  HoldAllItem,
  HoldAllOptions,
  HoldAllReturns,
  HoldId,
  HoldItemOptions,
  HoldOptions,
  HoldReturns,
  HookAPIFunctions,
  HookAPIOptions,
  ItemOptions,
  KeyOption,
  LeaseId,
  LimitAllItem,
  LimitAllReturns,
  LimitOptions,
  ListedKey,
  ListOverridesOptions,
  MutationCtx,
  Page,
  PenalizeOptions,
  QueryCtx,
  RateLimiterOptions,
  RateLimitListOptions,
  RateLimitName,
  RateLimitOverride,
  RateLimitReturns,
  RateLimitStats,
  RateLimitStatsOptions,
  ResetAllReturns,
  ResetOptions,
  Schedulable,
  ScheduleOptions,
  ScheduleReturns,
  SchedulingCtx,
  SetOverrideOptions,
  SetOverrideReturns,
  SettleAllItem,
  SettleOptions,
  TopDeniedOptions,
  WhileHoldingAllReturns,
  WhileHoldingReturns,
} from "./types.js";
import { FIELDS, SETTLE_ALL_ITEM_FIELDS } from "./options.js";
import { seedOf, seedToCheck } from "./seeds.js";

/**
 * The limits of an app. Make one `RateLimiter` per app, or several whose limits have different
 * names.
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
 * What holds for every call:
 *
 * - In a mutation it is part of the caller's transaction: if the mutation throws, nothing was taken.
 *   In an action it is its own transaction. If the component fails, so does the call; nothing is
 *   granted by default.
 * - It throws an `Error` before it grants anything if the limit is not defined, its config is bad, a
 *   number is out of range, a `requireKey` finds no key, or it does not take an option. The error
 *   names the limit, the field and the value.
 * - A list of limits has at least one item and at most 256.
 * - Outside a mutation, what is only read can be up to 17 s old: Convex may answer an action or a
 *   client from its cache, and a subscription does not run again just because time has passed.
 *
 * A limiter that is chosen while the app runs, such as `isPro ? pro : free`, takes the names that
 * both have. For `whileHolding` and `hookAPI`, name the type that they share:
 * `const limiter: RateLimiter<{ message: RateLimitConfig }> = isPro ? pro : free`.
 *
 * A limit named in the constructor needs no `config` in its calls. For any other limit, pass the
 * key's `config` in every call: the same one, until its plan changes.
 */
export class RateLimiter<
  Limits extends Record<string, LimitConfig> = Record<never, never>,
> {
  /** The named limits that were passed to the constructor. */
  // A mapped type, so that TypeScript compares limiters by their methods: one of more limits can
  // then stand in for one of fewer.
  readonly limits: Readonly<Limits> | undefined;
  private readonly calls: Calls;

  /**
   * Checks every config, so that a bad one fails when the module loads. The first call checks the
   * component.
   *
   * @param component `components.rateLimiter`, from `./_generated/api`.
   * @param limits The named limits.
   * @param options What to do after denials and warnings, and whether to log advice.
   */
  constructor(
    component: ComponentApi,
    limits?: { [Name in keyof Limits]: WrittenConfig } & Inferred<Limits>,
    options?: RateLimiterOptions,
  );
  constructor(
    component: ComponentApi,
    limits?: Limits,
    options: RateLimiterOptions = {},
  ) {
    checkOptions("new RateLimiter", FIELDS["new RateLimiter"], options);
    checkLimits(limits, options.advice !== false);
    this.limits = limits;
    this.calls = new Calls(component, limits, options);
  }

  /**
   * The component that was passed to the constructor.
   *
   * @throws An `Error` if it is missing, or is not this component.
   */
  get component(): ComponentApi {
    return this.calls.component;
  }

  // Take tokens, or only ask.

  /**
   * Takes tokens, or answers when to try again. Use `check` to ask without taking, `limitAll` to
   * take from several limits at once, `charge` to take without asking, `hold` to settle the real
   * cost later, `schedule` to run work when its tokens exist.
   *
   * Granted: reads and writes one row. Once the limit is split, it also reads row 0, which leads to
   * the others, and more rows only if the first one is short of tokens; before it denies, it looks
   * at other rows without a read dependency. Denied: writes nothing. With `stats` in the limit's
   * config, each call reads and writes more, as that field says.
   *
   * @throws `ConvexError` with `{ kind: "RateLimited" }` if denied and `throws` is true; with
   * `{ kind: "ExceedsCapacity" }` if `count` is more than could ever be granted.
   */
  async limit<Name extends string, const Options = object>(
    ctx: MutationCtx,
    name: RefillingNameOf<Limits, Name, Options>,
    options?: LimitOptions & Inferred<Options>,
  ): Promise<
    RateLimitReturns<
      Flag<Options, "details">,
      Flag<Options, "upTo">,
      Flag<Options, "throws">
    >
  >;
  // Here and below, a second signature is for the body: TypeScript cannot check a return type that
  // depends on the options.
  async limit(
    ctx: MutationCtx,
    name: string,
    options: LimitOptions = {},
  ): Promise<RateLimitReturns> {
    checkMutationCall(ctx, "limit", options, name);
    const request = this.calls.limit(name, options);
    const { rateLimit } = this.component.lib;
    const args = { ...request, seed: seedOf(ctx) };
    const status = await ctx.runMutation(rateLimit, args);
    return status.ok
      ? this.calls.grant(ctx, status, [request])
      : this.calls.deny(ctx, status, [request], options.throws);
  }

  /**
   * Answers as `limit` or `hold` would, but takes nothing. Another call may take the tokens before
   * you call `limit`, so to decide, call `limit` itself.
   *
   * In a mutation it reads what `limit` would read, so the answer still holds when the mutation
   * commits, and a `limit` that follows reads hardly any other rows. Writes nothing.
   *
   * @throws As `limit` does.
   */
  async check<Name extends string, const Options = object>(
    ctx: QueryCtx,
    name: NameOf<Limits, Name, Options>,
    options?: CheckOptions & Inferred<Options>,
  ): Promise<
    RateLimitReturns<
      Flag<Options, "details">,
      Flag<Options, "upTo">,
      Flag<Options, "throws">
    >
  >;
  async check(
    ctx: QueryCtx,
    name: string,
    options: CheckOptions = {},
  ): Promise<RateLimitReturns> {
    checkQueryCall(ctx, "check", options, name);
    const request = this.calls.check(name, options);
    const { checkRateLimit } = this.component.lib;
    const args = { ...request, seed: seedToCheck(ctx) };
    const status = await ctx.runQuery(checkRateLimit, args);
    return requireGranted(status, [request], options.throws);
  }

  /**
   * Takes from all of the limits or from none. Several calls of `limit` would keep what the first
   * ones took. The list may name the same limit and key twice; both requests must then fit.
   *
   * Reads and writes the rows that the single calls would. If denied, it writes nothing, or with
   * `stats` one row for each limit that refuses, and also reads the rows of limits that would
   * grant, if they have overrides that are yet to begin or end.
   *
   * @throws As `limit` does, for the first limit that refuses.
   */
  async limitAll<
    const Items extends readonly unknown[],
    const Options = object,
  >(
    ctx: MutationCtx,
    limits: ItemsOf<Limits, Items, ItemOptions, "concurrency">,
    options?: AnswerOptions & Inferred<Options>,
  ): Promise<
    LimitAllReturns<Flag<Options, "details">, Flag<Options, "throws">>
  >;
  async limitAll(
    ctx: MutationCtx,
    limits: readonly LimitAllItem[],
    options: AnswerOptions = {},
  ): Promise<LimitAllReturns> {
    requireCtx(ctx, "runMutation");
    const list = this.calls.limitAll("limitAll", limits, options);
    const args = { ...list, seed: seedOf(ctx) };
    const status = await ctx.runMutation(this.component.verbs.limitAll, args);
    return status.ok
      ? this.calls.grant(ctx, status, list.limits)
      : this.calls.deny(ctx, status, list.limits, options.throws);
  }

  /**
   * Answers as `limitAll` would, but takes nothing, as `check` does. Writes nothing.
   *
   * @throws As `limitAll` does.
   */
  async checkAll<
    const Items extends readonly unknown[],
    const Options = object,
  >(
    ctx: QueryCtx,
    limits: ItemsOf<Limits, Items, ItemOptions, "concurrency">,
    options?: AnswerOptions & Inferred<Options>,
  ): Promise<
    LimitAllReturns<Flag<Options, "details">, Flag<Options, "throws">>
  >;
  async checkAll(
    ctx: QueryCtx,
    limits: readonly LimitAllItem[],
    options: AnswerOptions = {},
  ): Promise<LimitAllReturns> {
    requireCtx(ctx, "runQuery");
    const list = this.calls.limitAll("checkAll", limits, options);
    const args = { ...list, seed: seedToCheck(ctx) };
    const status = await ctx.runQuery(this.component.verbs.checkAll, args);
    return requireGranted(status, list.limits, options.throws);
  }

  // Look at a balance, and correct it.

  /**
   * The balance of the whole limit and its config with the defaults filled in: what
   * `calculateRateLimit` needs to project the balance. To decide, use `limit`. To ask whether a
   * request would be granted, use `check`.
   *
   * Reads every row of the limit, or only row 0 and `sampleShards` random rows.
   */
  async getValue<Name extends string, const Options = object>(
    ctx: QueryCtx,
    name: NameOf<Limits, Name, Options>,
    options?: GetValueOptions & Inferred<Options>,
  ): Promise<GetValueReturns<ShownConfigOf<KindOf<Limits, Name, Options>>>>;
  async getValue(
    ctx: QueryCtx,
    name: string,
    options: GetValueOptions = {},
  ): Promise<GetValueReturns<ShownConfig>> {
    checkQueryCall(ctx, "getValue", options, name);
    const request = this.calls.request(name, options);
    return ctx.runQuery(this.component.lib.getValue, request);
  }

  /**
   * Gives tokens back. Tokens above the capacity are discarded: `credited` is how many fit, even
   * while an override makes the key unlimited. It does not know when these tokens were taken: if
   * the refill has replaced them since, they are granted on top. So use `hold` with `settle` to
   * correct an estimate, and `reset` to fill a limit completely.
   *
   * When a key's plan changes, call it with `from`, once for each change, in the mutation that
   * stores the plan:
   *
   * ```ts
   * await rateLimiter.credit(ctx, "exports", { key, config: plans.pro, from: plans.free });
   * ```
   *
   * Reads and writes one row. Once the limit is split, it also reads row 0, and more only if the
   * first row has no room, or with `from` all of them. A full limit is not written.
   */
  async credit<Name extends string, const Options = object>(
    ctx: MutationCtx,
    name: RefillingNameOf<Limits, Name, Options>,
    options?: CreditOptions & Inferred<Options>,
  ): Promise<{ credited: number }>;
  async credit(
    ctx: MutationCtx,
    name: string,
    options: CreditOptions = {},
  ): Promise<{ credited: number }> {
    checkMutationCall(ctx, "credit", options, name);
    const request = this.calls.refilling(name, options);
    const { key, count, from } = options;
    if (from !== undefined && count !== undefined) {
      fail(
        name,
        `count and from exclude each other, and count is ${String(count)}.`,
      );
    }
    const before =
      from && this.calls.refilling(name, { key, config: from }).config;
    const args = { ...request, from: before };
    return ctx.runMutation(this.component.verbs.credit, args);
  }

  /**
   * Takes tokens without asking. The limit may go into debt, however deep unless its config has
   * `maxDebt`; later calls see the debt, and `retryAfter` is the ms until it is repaid; while calls
   * overlap on a split limit, until one row is. Use `limit` to ask first, and `hold` with `settle`
   * to correct an estimate.
   *
   * Reads and writes the rows that a reservation would. With `maxDebt`, charges that overlap on a
   * split limit owe no more than that together: if one row may not owe all of the count, it reads
   * all rows.
   *
   * @throws An `Error` if the debt would not be finite.
   */
  async charge<Name extends string, const Options = object>(
    ctx: MutationCtx,
    name: RefillingNameOf<Limits, Name, Options>,
    options?: ChargeOptions & Inferred<Options>,
  ): Promise<ChargeReturns>;
  async charge(
    ctx: MutationCtx,
    name: string,
    options: ChargeOptions = {},
  ): Promise<ChargeReturns> {
    checkMutationCall(ctx, "charge", options, name);
    const request = this.calls.refilling(name, options);
    const { charge } = this.component.verbs;
    const charged = await ctx.runMutation(charge, request);
    return this.calls.grant(ctx, charged);
  }

  /**
   * Makes a limit full again. Deletes its rows and keeps its overrides. Ends the holds of the key
   * (1,000 at most, unless they are leases): they give nothing back, and answer `settled: false`.
   * Use `credit` to give back only a part.
   *
   * A limiter that names no limits takes any name. Otherwise a name that the constructor does not
   * know needs a `config`, which confirms that it is not misspelt, and gives the limit's kind.
   */
  async reset<Name extends string, const Options = object>(
    ctx: MutationCtx,
    name: [keyof Limits] extends [never]
      ? string
      : NameOf<Limits, Name, Options>,
    options?: ResetOptions & Inferred<Options>,
  ): Promise<void>;
  async reset(
    ctx: MutationCtx,
    name: string,
    options: ResetOptions = {},
  ): Promise<void> {
    checkMutationCall(ctx, "reset", options, name);
    const target = this.calls.reset(name, options);
    await ctx.runMutation(this.component.lib.resetRateLimit, target);
  }

  /**
   * Makes a limit full again for all keys, as after an outage: does for each key what `reset` does,
   * and takes the same names.
   *
   * A scheduled job resets what is left if there are more than a hundred keys or holds, or if your
   * mutation had already written something. Until it has ended some keys are full again and others
   * are not yet. A key that is used meanwhile may be reset after that. Calling `resetAll` again
   * meanwhile starts no second job, unless the first has failed.
   *
   * Reads the keys of the limit without read dependencies, and reads and deletes their rows and
   * holds.
   */
  async resetAll<Name extends string, const Options = object>(
    ctx: MutationCtx,
    name: [keyof Limits] extends [never]
      ? string
      : NameOf<Limits, Name, Options>,
    options?: ConfigOption & Inferred<Options>,
  ): Promise<ResetAllReturns>;
  async resetAll(
    ctx: MutationCtx,
    name: string,
    options: ConfigOption = {},
  ): Promise<ResetAllReturns> {
    checkMutationCall(ctx, "resetAll", options, name);
    if (options.config === undefined) this.calls.known(name);
    return ctx.runMutation(this.component.operators.resetAll, { name });
  }

  /**
   * Whether a job of `resetAll` is still at work on a limit. A subscribed query runs again when it
   * ends. Reads one row.
   */
  async isResetting(ctx: QueryCtx, name: string): Promise<boolean> {
    requireCtx(ctx, "runQuery");
    const args = { task: "reset", of: name } as const;
    return ctx.runQuery(this.component.operators.isSweeping, args);
  }

  // Hold tokens while work runs, and settle what it cost.

  /**
   * Takes tokens as `limit` does, and returns an id with which you can correct the cost once:
   * `settle` when you know what was used, `release` if nothing was. Use it where the cost is an
   * estimate. If you never end a hold, its tokens stay taken.
   *
   * For a concurrency limit it holds tokens until `release`, or until its lease ends; `renew`
   * extends the lease. In an action `whileHolding` does all of this.
   *
   * Granted: writes what `limit` would, and one more row. Denied: writes what `limit` would. For a
   * concurrency limit it reads the rows of all holds of the key, and writes one if granted.
   *
   * @throws As `limit` does.
   */
  async hold<Name extends string, const Options = object>(
    ctx: MutationCtx,
    name: NameOf<Limits, Name, Options>,
    options?: HoldOptions & Inferred<Options>,
  ): Promise<
    HoldReturns<IdOf<KindOf<Limits, Name, Options>>, Flag<Options, "throws">>
  >;
  async hold(
    ctx: MutationCtx,
    name: string,
    options: HoldOptions = {},
  ): Promise<HoldReturns> {
    requireCtx(ctx, "runMutation");
    const request = this.calls.hold("hold", name, options);
    const held = await this.calls.takeHold(ctx, request, options.throws);
    if (!held.ok) return held;
    const { retryAfter: _, ...answer } = held;
    return answer;
  }

  /**
   * Ends a hold and replaces its estimate with what was really used. Of the difference, what the
   * refill has not replaced since is given back; or it is taken without asking, into debt if need
   * be; `forgiven` is how much of it was not taken because of `maxDebt`. A hold of a concurrency
   * limit can only be released.
   *
   * This works once: a second `settle` or `release` of the same id, or one after the hold has
   * expired, the key was reset, or another call with its `once` has held, changes nothing and
   * answers `settled: false`. So an action that is retried can safely call it again.
   *
   * Uses the limit's current config. If `hold` was called with a `config`, or this limiter does not
   * name the limit, it uses the config under which the key was last charged.
   *
   * Reads and deletes the hold's row; reads and writes the rows that `credit` or `charge` would.
   *
   * @param id The id that `hold` returned.
   * @throws An `Error` if the id is not that of a hold.
   */
  async settle(
    ctx: MutationCtx,
    id: HoldId,
    options: SettleOptions,
  ): Promise<{ settled: boolean; forgiven?: number | undefined }> {
    checkMutationCall(ctx, "settle", options, limitOfHold(id));
    const used = { ...options, ...this.calls.settle(id) };
    return this.calls.endHold(ctx, { holds: [used], isSettle: true });
  }

  /**
   * Ends a hold and gives back what it took, once: the same as `settle` with a count of 0.
   *
   * @param id The id that `hold` returned.
   * @throws An `Error` if the id is not that of a hold.
   */
  async release(ctx: MutationCtx, id: string): Promise<{ settled: boolean }> {
    requireCtx(ctx, "runMutation");
    return this.calls.endHold(ctx, { holds: [this.calls.settle(id)] });
  }

  /**
   * Gives a hold of a concurrency limit a full lease from now. `renewed: false` means that the hold
   * was released or its lease has ended, and that another caller may have its tokens.
   *
   * Reads the rows of all holds of the key and writes the hold's own row.
   *
   * @param id The id that `hold` returned.
   * @throws An `Error` if the id is not that of a hold of a concurrency limit.
   */
  async renew(ctx: MutationCtx, id: LeaseId): Promise<{ renewed: boolean }> {
    requireCtx(ctx, "runMutation");
    return ctx.runMutation(this.component.verbs.renew, { id });
  }

  /**
   * Holds tokens of all of the limits or of none, in one transaction. A list may mix limits of
   * every kind, and name the same limit and key twice: both must then fit. An item with `count: 0`
   * holds nothing but still gets an id.
   *
   * Reads and writes the rows that the single calls of `hold` would.
   *
   * @throws As `hold` does, for the first limit that refuses.
   */
  async holdAll<const Items extends readonly unknown[], const Options = object>(
    ctx: MutationCtx,
    limits: ItemsOf<Limits, Items, HoldItemOptions>,
    options?: HoldAllOptions & Inferred<Options>,
  ): Promise<HoldAllReturns<IdsOf<Limits, Items>, Flag<Options, "throws">>>;
  async holdAll(
    ctx: MutationCtx,
    limits: readonly HoldAllItem[],
    options: HoldAllOptions = {},
  ): Promise<HoldAllReturns> {
    requireCtx(ctx, "runMutation");
    const list = this.calls.holdAll("holdAll", limits, options);
    const held = await this.calls.takeHolds(ctx, list, options.throws);
    if (!held.ok) return held;
    const { retryAfter: _, ...answer } = held;
    return answer;
  }

  /**
   * Ends several holds in one transaction, each once: with a `count` as `settle` does, without one
   * as `release` does. `settled` shows, in the order of the list, which of them this call ended. A
   * hold that has expired or has been ended before is left as it is; the others still end.
   * `forgiven` tells for each how much was not taken because of `maxDebt`, and is absent if all are
   * 0.
   *
   * Reads and writes the rows that the single calls would.
   *
   * @throws As `settle` does. Then none of them is settled.
   */
  async settleAll(
    ctx: MutationCtx,
    holds: readonly SettleAllItem[],
  ): Promise<{ settled: boolean[]; forgiven?: number[] | undefined }> {
    requireCtx(ctx, "runMutation");
    requireList("settleAll", holds, "{ id }");
    const used = holds.map((hold) => {
      const name = limitOfHold(hold.id);
      checkOptions("settleAll", SETTLE_ALL_ITEM_FIELDS, hold, name);
      return { ...this.calls.settle(hold.id), count: hold.count };
    });
    return this.calls.endHolds(ctx, { holds: used });
  }

  /**
   * Holds tokens and runs `work` with the hold's `id`. Renews a lease while `work` runs. Afterwards
   * releases the hold unless `work` settled it, whether `work` returned or threw. A release that
   * fails is tried again for 7.5 s, then logged as an error with the id. If denied, does not run
   * `work`.
   *
   * ```ts
   * const options = { key: userId, count: 500 };
   * const status = await rateLimiter.whileHolding(ctx, "llmTokens", options, async ({ id }) => {
   *   const { text, tokens } = await callModel(prompt);
   *   await rateLimiter.settle(ctx, id, { count: tokens });
   *   return text;
   * });
   * ```
   *
   * For actions only. Each `hold`, `renew` and `release` is its own transaction, and a lease should
   * be several times as long as such a call may take. If the action crashes, a lease ends by
   * itself, and other tokens stay taken. If it loses its connection to the database and the lease
   * ends, `work` is not stopped.
   *
   * @throws What `work` throws, and what `hold` throws.
   */
  async whileHolding<Name extends string, Result, const Options = object>(
    ctx: ActionCtx,
    name: NameOf<Limits, Name, Options>,
    options: HoldOptions & Inferred<Options>,
    work: (held: {
      id: IdOf<KindOf<Limits, Name, Options>>;
    }) => MaybePromise<Result>,
  ): Promise<WhileHoldingReturns<Result, Flag<Options, "throws">>>;
  async whileHolding<Result>(
    ctx: ActionCtx,
    name: string,
    options: HoldOptions,
    work: (held: { id: string }) => MaybePromise<Result>,
  ): Promise<WhileHoldingReturns<Result>> {
    requireCtx(ctx, "runMutation");
    const list = { limits: [this.calls.hold("whileHolding", name, options)] };
    const run = work && (([id]: string[]) => work({ id: id! }));
    const held = await whileHolding(
      this.calls,
      ctx,
      "whileHolding",
      list,
      run,
      options.throws,
    );
    return held.ok ? held : { ok: held.ok, retryAfter: held.retryAfter };
  }

  /**
   * Does what `whileHolding` does, with tokens of all of the limits or of none, as `holdAll` takes
   * them. `work` gets the `ids`.
   *
   * @throws What `work` throws, and what `holdAll` throws.
   */
  async whileHoldingAll<
    const Items extends readonly unknown[],
    Result,
    const Options = object,
  >(
    ctx: ActionCtx,
    limits: ItemsOf<Limits, Items, HoldItemOptions>,
    work: (held: { ids: IdsOf<Limits, Items> }) => MaybePromise<Result>,
    options?: HoldAllOptions & Inferred<Options>,
  ): Promise<WhileHoldingAllReturns<Result, Flag<Options, "throws">>>;
  async whileHoldingAll<Result>(
    ctx: ActionCtx,
    limits: readonly HoldAllItem[],
    work: (held: { ids: string[] }) => MaybePromise<Result>,
    options: HoldAllOptions = {},
  ): Promise<WhileHoldingAllReturns<Result>> {
    requireCtx(ctx, "runMutation");
    const list = this.calls.holdAll("whileHoldingAll", limits, options);
    const run = work && ((ids: string[]) => work({ ids }));
    return whileHolding(
      this.calls,
      ctx,
      "whileHoldingAll",
      list,
      run,
      options.throws,
    );
  }

  // Run work later, when its tokens exist.

  /**
   * Reserves tokens and schedules `fn` for when they exist, which is at once if they exist now. If
   * the debt would be deeper than `maxReserved`, nothing is scheduled and the answer is
   * `ok: false`. To run the work in your own way, use `limit` with `reserve`.
   *
   * In a mutation all of it is one transaction. In an action the tokens stay taken if the action
   * ends before the function is scheduled.
   *
   * Reads and writes the rows that a reservation would, and a scheduled function.
   *
   * @throws As `limit` does.
   */
  async schedule<
    Name extends string,
    Fn extends Schedulable,
    const Options = object,
  >(
    ctx: SchedulingCtx,
    name: RefillingNameOf<Limits, Name, Options>,
    options: ScheduleOptions<Fn> & Inferred<Options>,
  ): Promise<ScheduleReturns<Flag<Options, "throws">>>;
  async schedule<Fn extends SchedulableFunctionReference>(
    ctx: SchedulingCtx,
    name: string,
    options: ScheduleOptions<Fn>,
  ): Promise<ScheduleReturns> {
    checkMutationCall(ctx, "schedule", options, name);
    const { fn, args, jitter = 0, throws, ...others } = options;
    if (fn === undefined || fn === null) {
      fail(name, "schedule needs fn, the function to run, but got none.");
    }
    requireField(name, "jitter", jitter);
    const delay = Math.floor(Math.random() * jitter);
    const request = {
      ...this.calls.refilling(name, others),
      reserve: true,
      // The hold must outlast the wait until the work starts.
      expiresAfter: delay + DAY,
    };
    const held = await this.calls.takeHold(ctx, request, throws);
    if (!held.ok) return held;
    const retryAfter = (held.retryAfter ?? 0) + delay;
    const scheduledId = await ctx.scheduler.runAfter(
      retryAfter,
      fn,
      // TypeScript does not resolve the conditional type of the rest arguments.
      ...([args] as unknown as OptionalRestArgs<Fn>),
    );
    const { attach } = this.component.verbs;
    await ctx.runMutation(attach, { id: held.id, scheduledId });
    return { ok: true, retryAfter, scheduledId };
  }

  /**
   * Cancels a job of `schedule` that has not started yet, and gives back what it took, as `release`
   * does. Any other scheduled function is left alone, with `cancelled: false`. Before you cancel a
   * job for a client, check whose job it is.
   *
   * Reads and writes the scheduled function, and the rows that `credit` would.
   *
   * @throws An `Error` in an action, which cannot ask whether a job has started.
   */
  async cancelScheduled(
    ctx: CancellingCtx,
    scheduledId: GenericId<"_scheduled_functions">,
  ): Promise<{ cancelled: boolean }> {
    requireCtx(ctx, "runMutation");
    if (!("db" in ctx)) {
      throw new Error(
        "RateLimiter: cancelScheduled is for mutations, and was called in an action. Call a mutation there that calls it.",
      );
    }
    const job = await ctx.db.system.get("_scheduled_functions", scheduledId);
    if (job?.state.kind !== "pending") return { cancelled: false };
    const { verbs } = this.component;
    const args = { scheduledId, limits: this.calls.namedLimits() };
    const { found } = await ctx.runMutation(verbs.releaseScheduled, args);
    if (found) await ctx.scheduler.cancel(scheduledId);
    return { cancelled: found };
  }

  // Change a limit, for one key or for all.

  /**
   * Changes the limit for one key, or without `key` for all keys, from the next transaction on. A
   * key's override wins over the limit's.
   *
   * Each key, and the whole limit, has one override that lasts, one with an end (`expiresAt`), and
   * one ban by `penalize`. A second of the same sort replaces the first. The one with an end lies
   * over the one that lasts, and the ban over both.
   *
   * An override adds no tokens to a key in use, unless you pass `credit: true`.
   *
   * Reads and writes one row; with `credit` also reads and writes what `credit` with `from` would.
   *
   * @throws An `Error` if the limit lacks `overrides: true`, or if `credit` has nothing to credit.
   */
  async setOverride<const Options = object>(
    ctx: MutationCtx,
    name: NameWith<Limits, "overrides">,
    options: SetOverrideOptions & Inferred<Options>,
  ): Promise<SetOverrideReturns<Flag<Options, "credit">>>;
  async setOverride(
    ctx: MutationCtx,
    name: string,
    options: SetOverrideOptions,
  ): Promise<SetOverrideReturns> {
    checkMutationCall(ctx, "setOverride", options, name);
    const { credit } = options;
    const set = this.calls.override(name, options);
    const config = credit ? this.calls.namedConfig(name) : undefined;
    const args = { ...set, credit, config };
    const { setOverride } = this.component.verbs;
    return (await ctx.runMutation(setOverride, args)) ?? undefined;
  }

  /**
   * Removes the overrides of one key, or without `key` those of the whole limit: the current ones,
   * those that have not begun yet, and past bans, so that `penalize` starts over. A limiter that
   * names no limits takes any name. Reads at most three rows, and deletes them.
   */
  async clearOverride(
    ctx: MutationCtx,
    name: RateLimitName<Limits>,
    options: KeyOption = {},
  ): Promise<void> {
    checkMutationCall(ctx, "clearOverride", options, name);
    this.calls.known(name);
    const { clearOverride } = this.component.verbs;
    await ctx.runMutation(clearOverride, { ...options, name });
  }

  /**
   * The overrides of one limit or of all limits, by name and key, a page at a time: those that have
   * not ended, whether they apply now or later. For each key, the highest comes last.
   *
   * Reads the rows that it returns, and the ended ones between them.
   */
  async listOverrides(
    ctx: QueryCtx,
    options: ListOverridesOptions<keyof Limits & string>,
  ): Promise<Page<RateLimitOverride>> {
    checkQueryCall(ctx, "listOverrides", options);
    return ctx.runQuery(this.component.operators.listOverrides, options);
  }

  /**
   * Bans a key, longer each time. If the key is already banned, the next ban replaces the current
   * one: it starts now, and never ends earlier. `retryAfter` is the ms until this ban ends.
   *
   * The ban applies until its end, whatever override is set or begins meanwhile; after it, other
   * overrides apply again. `clearOverride` lifts the ban and forgets earlier bans.
   *
   * Reads and writes one row, that of the previous ban.
   *
   * @throws An `Error` if the limit lacks `overrides: true`.
   */
  async penalize(
    ctx: MutationCtx,
    name: NameWith<Limits, "overrides">,
    options: PenalizeOptions,
  ): Promise<{ retryAfter: number }> {
    checkMutationCall(ctx, "penalize", options, name);
    this.calls.requireSet(name, "overrides");
    const args = { ...options, name, bans: [...options.bans] };
    return ctx.runMutation(this.component.verbs.penalize, args);
  }

  // Watch limits, as an operator.

  /**
   * The keys that are in use, for operators, a page at a time. The balance is projected to now for
   * the limits that the constructor names. A concurrency limit that it does not name is listed if
   * you pass its `name`.
   *
   * Reads a row for each key of the page, all rows of those keys, and their overrides. Without a
   * `name`, also rows of the limits that the constructor does not name, to find them.
   */
  async list(
    ctx: QueryCtx,
    options: RateLimitListOptions<keyof Limits & string>,
  ): Promise<Page<ListedKey>> {
    checkQueryCall(ctx, "list", options);
    const args = { ...options, limits: this.calls.namedLimits() };
    return ctx.runQuery(this.component.operators.list, args);
  }

  /**
   * How many calls of a limit were granted and denied, over all keys: one interval for each minute
   * or hour that the range touches, oldest first, empty ones included. Minutes are kept for a day
   * and hours for 30 days; older intervals are 0.
   *
   * It counts each call of `limit`, `hold`, `whileHolding` and `schedule`, and each item of
   * `limitAll` and `holdAll`. A call for an unlimited key counts as `granted` and takes no tokens.
   * In a denied list, only the items whose own limit refuses count. `check`, `charge`, `credit`,
   * `settle` and `release` do not count.
   *
   * Exact for every call whose transaction commits, unless `stats` is a share. It misses calls with
   * a `count` above the capacity, and denials whose transaction throws: see `throws` in the
   * options of `limit`.
   *
   * Reads one row for each interval, and the events that are not folded yet, usually a few dozen.
   * So a subscribed query runs again after each call of the limit. Use it for dashboards: in a
   * mutation it conflicts with every call.
   *
   * @throws An `Error` if the limit lacks `stats`, or the range is empty or too long.
   */
  async stats(
    ctx: QueryCtx,
    name: NameWith<Limits, "stats">,
    options: RateLimitStatsOptions,
  ): Promise<RateLimitStats[]> {
    checkQueryCall(ctx, "stats", options, name);
    this.calls.requireSet(name, "stats");
    return ctx.runQuery(this.component.operators.stats, { ...options, name });
  }

  /**
   * The keys that a limit denied most, over all hours that the range touches, the most denied
   * first. Hours are kept for 30 days. Counts the same calls as `stats`, if they have a key.
   *
   * Each hour keeps 100 keys. If no more keys than that were denied in an hour, the numbers are
   * exact. Otherwise each number can be too low, by at most 1/101 of all denials in those hours,
   * and a key with fewer denials than that can be missing. No number is too high.
   *
   * Reads one row for each hour, and the events that are not folded yet.
   *
   * @throws An `Error` if the limit lacks `stats`, or the range is empty or longer than 30 days.
   */
  async topDenied(
    ctx: QueryCtx,
    name: NameWith<Limits, "stats">,
    options: TopDeniedOptions,
  ): Promise<DeniedKey[]> {
    checkQueryCall(ctx, "topDenied", options, name);
    this.calls.requireSet(name, "stats");
    return ctx.runQuery(this.component.operators.topDenied, {
      ...options,
      name,
    });
  }

  // Forget a key.

  /**
   * Deletes everything that the component stores for a key, in every limit, whether the constructor
   * names it or not: balances, holds, overrides with their notes, and the key in `topDenied`. The
   * counts of `stats` stay. So do bans, unless you pass `bans: true`. An empty key is a key. Use
   * `reset` to make one limit full again.
   *
   * A scheduled job deletes what is left if there is much of it, or if your mutation had already
   * written something. Calling `forget` again meanwhile starts no second job, unless the first has
   * failed.
   *
   * Calls that use the key during or after this store it again, so stop using it first. A forgotten
   * hold can no longer be settled, nor its job cancelled by `cancelScheduled`. A forgotten lease
   * frees its tokens while its work goes on. Among the denied, keys of more than 128 bytes that
   * begin alike are forgotten together.
   *
   * Reads six rows for each limit in use, the denied keys of 30 days, and the events that are not
   * folded yet, without read dependencies; reads and deletes what is stored for the key.
   */
  async forget(
    ctx: MutationCtx,
    key: string,
    options: ForgetOptions = {},
  ): Promise<ForgetReturns> {
    checkMutationCall(ctx, "forget", options);
    const { forget } = this.component.operators;
    const args = { ...options, key: requireKeyString("forget", key) };
    return ctx.runMutation(forget, args);
  }

  /**
   * Whether a job of `forget` is still at work on a key. A subscribed query runs again when it
   * ends. Reads one row.
   */
  async isForgetting(ctx: QueryCtx, key: string): Promise<boolean> {
    requireCtx(ctx, "runQuery");
    const of = requireKeyString("isForgetting", key);
    const args = { task: "forget", of } as const;
    return ctx.runQuery(this.component.operators.isSweeping, args);
  }

  // Show a limit in the browser.

  /**
   * The functions that the hook `useRateLimit` calls. Export them from your app. They answer for
   * this limit and for the key that the server resolves; the browser can choose neither the limit
   * nor its config.
   *
   * ```ts
   * export const { getRateLimit, getServerTime } = rateLimiter.hookAPI("sendMessage", {
   *   key: async (ctx) => (await requireUser(ctx))._id,
   * });
   * ```
   *
   * @throws When the module loads, an `Error` if the limit is not defined or its config is bad. In
   * the query, an `Error` if the browser chooses what it may not, if `key` returns undefined, or if
   * `config` returns a bad config.
   */
  hookAPI<
    DataModel extends GenericDataModel,
    Name extends string = string,
    Key extends string | null = string | null,
    OfKind extends Kind = never,
    Given extends string = never,
  >(
    name: NameOf<Limits, Name, OptionsWith<Given>>,
    options?: HookAPIOptions<DataModel, Key, OfKind> & InferredFields<Given>,
  ): HookAPIFunctions<
    ShownConfigOf<OfKind | Limits[Name & keyof Limits]["kind"]>
  >;
  hookAPI<DataModel extends GenericDataModel>(
    name: string,
    options: HookAPIOptions<DataModel> = {},
  ): HookAPIFunctions<ShownConfig> {
    checkOptions("hookAPI", FIELDS.hookAPI, options, name);
    return hookFunctions(this.calls, name, options);
  }
}
