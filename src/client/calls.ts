import type { FunctionArgs, FunctionReturnType } from "convex/server";
import type { ComponentApi } from "../component/_generated/component.js";
import { requireOverridable } from "../core/checks.js";
import {
  toStored,
  type LimitConfig,
  type StoredConfig,
} from "../core/config.js";
import { rateLimitedError } from "../core/errors.js";
import { parseHoldId } from "../core/holdId.js";
import type { NamedLimits } from "../core/validators.js";
import {
  checkOptions,
  configOf,
  fail,
  requireKeyIfSet,
  requireList,
  requireRefilling,
  type NamedConfigs,
} from "./checks.js";
import { requireComponent } from "./component.js";
import { seedOf } from "./seeds.js";
import {
  FIELDS,
  HOLD_ALL_ITEM_FIELDS,
  LIMIT_ALL_ITEM_FIELDS,
  OVERRIDE_FIELDS,
} from "./options.js";
import type {
  ActionCtx,
  AnswerOptions,
  ChargeOptions,
  CheckOptions,
  GetValueOptions,
  HoldAllItem,
  HoldAllOptions,
  HoldOptions,
  LimitAllItem,
  MutationCtx,
  RateLimiterOptions,
  ResetOptions,
  SetOverrideOptions,
} from "./types.js";

/** The options of any call that asks or takes, as its body sees them. */
type AskOptions = CheckOptions & GetValueOptions & HoldOptions;

type Verbs = ComponentApi["verbs"];

type HoldList = FunctionArgs<Verbs["holdAll"]>;
type HoldRequest = HoldList["limits"][number];
type EndList = FunctionArgs<Verbs["settleAll"]>;

/** What callbacks learn about a request that was sent to the component. */
type Requested = Pick<ChargeOptions, "key" | "count"> & { name: string };

/** What a granted answer has only for callbacks. */
type ForCallbacks = {
  warnings?: FunctionReturnType<Verbs["settleAll"]>["warnings"];
  /** The indexes of the requests that only a dry run let through. */
  letThrough?: number[];
};

type Denied = {
  ok: false;
  retryAfter: number;
  /** Which of the requests was denied; absent if there is only one. */
  blockedBy?: { index: number };
};

/** How long an action waits after each release that fails. */
const RELEASE_WAITS_MS = [500, 1000, 2000, 4000];

/** What a call of an operator needs in the limit's config. */
const WANTED = {
  overrides: "true in its config for an override to take effect",
  stats: "true, or a share, in its config for its calls to be counted",
};

/**
 * The calls of a limiter on their way to the component, and its answers on their way back. It turns
 * the arguments of the calls into those of the component's functions: checked, and with the limit's
 * config as the component stores it.
 */
export class Calls {
  private hasPointedToCredit = false;

  constructor(
    private readonly given: ComponentApi | undefined,
    readonly limits: NonNullable<NamedConfigs> = {},
    private readonly options: RateLimiterOptions,
  ) {}

  get component(): ComponentApi {
    return requireComponent(this.given);
  }

  /** For a limit of any kind. */
  request(name: string, { throws: _, ...options }: AskOptions) {
    const { key, config: inline } = options;
    const config = configOf(this.limits, name, inline);
    requireKeyIfSet(name, config, key);
    const stored = this.stored(config, inline !== undefined);
    return { ...options, name, key, config: stored };
  }

  /** For a limit that refills with time. */
  refilling(name: string, options: AskOptions) {
    const { config, ...request } = this.request(name, options);
    requireRefilling(name, config);
    return { ...request, config };
  }

  limit(name: string, options: AskOptions) {
    const request = this.refilling(name, options);
    this.adviseOnCount(request);
    return { ...request, denyDebt: options.throws };
  }

  check(name: string, options: AskOptions) {
    const request = this.request(name, options);
    this.adviseOnCount(request);
    return { ...request, denyDebt: options.throws };
  }

  limitAll(
    verb: "limitAll" | "checkAll",
    items: readonly LimitAllItem[],
    options: AnswerOptions,
  ) {
    checkItems(verb, items, LIMIT_ALL_ITEM_FIELDS, options, FIELDS[verb]);
    const { details, throws } = options;
    const limits = items.map((item) =>
      this.limit(item.name, { ...item, throws }),
    );
    return { limits, details };
  }

  hold(verb: string, name: string, options: HoldOptions) {
    checkOptions(verb, FIELDS.hold, options, name);
    return this.request(name, options);
  }

  holdAll(
    verb: string,
    items: readonly HoldAllItem[],
    options: HoldAllOptions = {},
  ) {
    checkItems(verb, items, HOLD_ALL_ITEM_FIELDS, options, FIELDS.holdAll);
    const limits = items.map((item) => this.request(item.name, item));
    return { limits, expiresAfter: options.expiresAfter };
  }

  /** With the limit's current config, if the constructor names the limit. */
  settle(id: string) {
    const name = limitOfHold(id);
    const isNamed = name !== undefined && Object.hasOwn(this.limits, name);
    return { id, config: isNamed ? this.namedConfig(name) : undefined };
  }

  /** For a limit of any kind; the config may be missing where any name is allowed. */
  reset(name: string, options: ResetOptions) {
    const { key, config } = options;
    if (config === undefined && this.known(name) === undefined) {
      return { name, key };
    }
    const { kind } = this.request(name, options).config;
    return { name, key, kind: kind === "concurrency" ? kind : undefined };
  }

  /**
   * @throws An `Error` if the limit has no `overrides`, or lacks a field that the override sets.
   */
  override(
    name: string,
    {
      key,
      startsAt,
      expiresAt,
      note,
      once,
      name: _,
      credit: _credit,
      ...override
    }: SetOverrideOptions & { name?: string },
  ) {
    const limit = this.requireSet(name, "overrides");
    const { config } = override;
    if (config !== undefined) {
      checkOptions("an override's config", OVERRIDE_FIELDS, config, name);
      if (limit) requireOverridable(name, limit, config);
    }
    return { name, key, override, startsAt, expiresAt, note, once };
  }

  /** The config of a limit that the constructor names, as the component stores it. */
  namedConfig(name: string): StoredConfig {
    return this.stored(configOf(this.limits, name));
  }

  /** The limits that the constructor names, with their current configs. */
  namedLimits(): NamedLimits {
    return Object.keys(this.limits).map((name) => ({
      name,
      config: this.namedConfig(name),
    }));
  }

  /**
   * Returns the limit's config; undefined if the constructor names no limits, which allows any name.
   *
   * @throws An `Error` if the constructor names other limits only.
   */
  known(name: string): StoredConfig | undefined {
    const isAnyAllowed = Object.keys(this.limits).length === 0;
    return isAnyAllowed ? undefined : this.namedConfig(name);
  }

  /**
   * The same.
   *
   * @throws An `Error` also if the field is absent or false.
   */
  requireSet(
    name: string,
    field: keyof typeof WANTED,
  ): StoredConfig | undefined {
    const config = this.known(name);
    if (config === undefined || (config[field] ?? false) !== false) {
      return config;
    }
    fail(name, `${field} must be ${WANTED[field]}.`);
  }

  private stored(config: LimitConfig, isInline = false): StoredConfig {
    const stored = toStored(config);
    if (stored.kind === "concurrency") return stored;
    return {
      ...stored,
      ...(this.options.advice === false && { advice: false }),
      ...(isInline && { isInline }),
    };
  }

  /** Warns once of a negative count, which `@convex-dev/rate-limiter` accepts. */
  private adviseOnCount({ name, count = 1 }: Requested): void {
    const isSilent = this.options.advice === false || this.hasPointedToCredit;
    if (isSilent || !(count < 0)) return;
    this.hasPointedToCredit = true;
    console.warn(
      `Rate limit ${name}: count is ${count}, which gives tokens back. Use credit for that (advice: false silences this).`,
    );
  }

  /** Holds tokens of one limit. */
  async takeHold(ctx: MutationCtx, request: HoldRequest, throws?: boolean) {
    const held = await this.takeHolds(ctx, { limits: [request] }, throws);
    if (!held.ok) return { ok: held.ok, retryAfter: held.retryAfter };
    const {
      ids: [id],
      ...answer
    } = held;
    return { ...answer, id: id! };
  }

  /** Holds tokens of all limits of a list, or of none. */
  async takeHolds(ctx: MutationCtx, list: HoldList, throws?: boolean) {
    const args = { ...list, seed: seedOf(ctx) };
    const held = await ctx.runMutation(this.component.verbs.holdAll, args);
    if (!held.ok) return this.deny(ctx, held, list.limits, throws);
    const { heldBefore = [], ...answer } = held;
    try {
      return await this.grant(ctx, answer, list.limits);
    } catch (error) {
      // The caller never gets the ids. What an earlier call with the same `once` holds stays.
      const ids = held.ids.filter((_, i) => !heldBefore.includes(i));
      if (ids.length > 0) await this.release(ctx, ids);
      throw error;
    }
  }

  /** Ends a hold: releases it, or settles it with what was used. */
  async endHold(ctx: MutationCtx, list: EndList) {
    const {
      settled: [settled],
      forgiven,
    } = await this.endHolds(ctx, list);
    return { settled: settled!, ...(forgiven && { forgiven: forgiven[0] }) };
  }

  /** Ends holds, and answers which of them it ended. */
  async endHolds(ctx: MutationCtx, list: EndList) {
    const { settleAll } = this.component.verbs;
    return this.grant(ctx, await ctx.runMutation(settleAll, list));
  }

  /**
   * Releases holds, and never throws. If that fails, an action tries again; in a mutation it would
   * only fail again. The last failure goes to the log.
   */
  async release(
    ctx: MutationCtx | ActionCtx,
    ids: readonly string[],
  ): Promise<void> {
    const holds = ids.map((id) => this.settle(id));
    const waits = "runAction" in ctx ? RELEASE_WAITS_MS : [];
    for (const waitMs of [...waits, undefined]) {
      try {
        return void (await this.endHolds(ctx, { holds }));
      } catch (error) {
        if (waitMs === undefined) {
          console.error(
            `RateLimiter: could not release ${ids.join(", ")}. The tokens stay taken, those of a lease until it ends. ${String(error)}`,
          );
        } else await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  /**
   * Calls `onWouldDeny` and `onWarning` as a granted answer requires, and returns the rest of it.
   *
   * @throws Whatever a callback throws.
   */
  async grant<Answer extends ForCallbacks>(
    ctx: MutationCtx,
    { warnings = [], letThrough = [], ...answer }: Answer,
    requests: readonly Requested[] = [],
  ): Promise<Omit<Answer, keyof ForCallbacks>> {
    const { onWouldDeny, onWarning } = this.options;
    for (const index of letThrough) {
      const { name, key, count = 1 } = requests[index]!;
      await onWouldDeny?.(ctx, { name, key, count });
    }
    for (const { name, key, ...warning } of warnings) {
      await onWarning?.(ctx, { name, key, ...warning });
    }
    return answer;
  }

  /**
   * Calls `onDenied`, and returns the denial.
   *
   * @throws A `ConvexError` if `throws` is true, and whatever `onDenied` throws.
   */
  async deny<Denial extends Denied>(
    ctx: MutationCtx,
    denial: Denial,
    requests: readonly Requested[],
    throws: boolean | undefined,
  ): Promise<Denial> {
    const { retryAfter, blockedBy: { index } = FIRST } = denial;
    const { name, key, count = 1 } = requests[index]!;
    await this.options.onDenied?.(ctx, { name, key, count, retryAfter });
    return requireGranted(denial, requests, throws);
  }
}

/** The name of a hold's limit; undefined if `id` is not that of a hold. */
export function limitOfHold(id: string): string | undefined {
  return parseHoldId(String(id)).name;
}

/**
 * Checks the options of a list and of its items against the fields that each may have.
 *
 * @throws An `Error` if the list is empty, or if one of them has another field.
 */
function checkItems(
  verb: string,
  items: readonly { name: string }[],
  itemFields: string,
  options: object,
  fields: string,
): void {
  requireList(verb, items, "{ name }");
  const [first] = items;
  if (first === undefined) {
    throw new Error(`${verb}: the list is empty. Name at least one limit.`);
  }
  for (const item of items) checkOptions(verb, itemFields, item);
  checkOptions(verb, fields, options, first.name);
}

/**
 * Returns the answer.
 *
 * @throws A `ConvexError` if denied and `throws` is true.
 */
export function requireGranted<Answer extends { ok: true } | Denied>(
  answer: Answer,
  requests: readonly Requested[],
  throws: boolean | undefined,
): Answer {
  if (answer.ok || throws !== true) return answer;
  const { retryAfter, blockedBy: { index } = FIRST } = answer;
  throw rateLimitedError(requests[index]!.name, retryAfter);
}

/** What a denial leaves out if there is only one request. */
const FIRST = { index: 0 };
