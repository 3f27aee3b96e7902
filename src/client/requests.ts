import type { FunctionReturnType } from "convex/server";
import type { ComponentApi } from "../component/_generated/component.js";
import {
  toStored,
  type LimitConfig,
  type StoredConfig,
} from "../core/config.js";
import { rateLimitedError } from "../core/errors.js";
import { parseHoldId } from "../core/holdId.js";
import { requireOverridable } from "../core/checkWrittenConfig.js";
import type { NamedLimits } from "../core/validators.js";
import {
  checkedConfigOf,
  configOf,
  requireRefilling,
  type NamedConfigs,
  requireKeyIfSet,
  checkOptions,
  requireList,
} from "./checks.js";
import type {
  AmountOptions,
  AnswerOptions,
  GetValueOptions,
  HoldAllItem,
  HoldAllOptions,
  HoldOptions,
  KeyOption,
  LimitAllItem,
  MutationCtx,
  RateLimiterOptions,
  RequestOptions,
  SetOverrideOptions,
} from "./types.js";
import {
  HOLD_ALL_ITEM_FIELDS,
  HOLD_ALL_FIELDS,
  LIMIT_ALL_ITEM_FIELDS,
  LIMIT_ALL_FIELDS,
  OVERRIDE_FIELDS,
  type AnyOptions,
} from "./options.js";

/*
 * Requests on their way to the component, and answers on their way back: `RequestBuilder` makes the
 * arguments, and `runCallbacks` reports an answer to the app.
 */

/** The options that say which limit and key a call is about. */
export type TargetOptions = KeyOption & { config?: LimitConfig | undefined };

/** The options of `limit` and `check`, as their bodies see them. */
export type LimitOptions = RequestOptions &
  TargetOptions &
  AnswerOptions<boolean> & { upTo?: boolean };

/** The options of `getValue`, as its body sees them. */
export type ValueOptions = GetValueOptions & TargetOptions;

/**
 * Turns the arguments of a limiter's calls into those of the component's functions: checked, and
 * with the limit's config as the component stores it.
 */
export class RequestBuilder {
  private hasPointedToCredit = false;

  constructor(
    readonly limits: NonNullable<NamedConfigs> = {},
    private readonly options: Pick<RateLimiterOptions, "advice">,
  ) {}

  /** For a limit of any kind. */
  target(name: string, { key, config: inline }: TargetOptions) {
    const config = configOf(this.limits, name, inline);
    requireKeyIfSet(name, config, key);
    return {
      name,
      key,
      config: this.stored(config, inline !== undefined),
    };
  }

  /** For a limit that refills with time. */
  refilling(name: string, options: TargetOptions) {
    const { config, ...target } = this.target(name, options);
    requireRefilling(name, config);
    return { ...target, config };
  }

  amount(name: string, options: AmountOptions & TargetOptions) {
    return { ...this.refilling(name, options), count: options.count };
  }

  limit(
    name: string,
    options: RequestOptions & TargetOptions,
    throws?: boolean,
  ) {
    const { count, reserve, leave } = options;
    const target = this.refilling(name, options);
    this.adviseOnCount(name, count);
    return { ...target, count, reserve, denyDebt: throws, leave };
  }

  limitAll(
    verb: string,
    items: readonly LimitAllItem[],
    options: AnswerOptions<boolean>,
  ) {
    checkItems(verb, items, LIMIT_ALL_ITEM_FIELDS, options, LIMIT_ALL_FIELDS);
    const { details, throws } = options;
    const limits = items.map((item) => this.limit(item.name, item, throws));
    return { limits, details };
  }

  /** Warns once of a negative count, which `@convex-dev/rate-limiter` accepts. */
  adviseOnCount(name: string, count: number | undefined): void {
    if (count === undefined || !(count < 0) || this.hasPointedToCredit) return;
    if (this.options.advice === false) return;
    this.hasPointedToCredit = true;
    console.warn(
      `Rate limit ${name}: count is ${count}, which gives tokens back. Use credit for that (advice: false silences this).`,
    );
  }

  hold(name: string, options: HoldOptions & TargetOptions) {
    const { count, leave, expiresAfter, once } = options;
    return { ...this.target(name, options), count, leave, expiresAfter, once };
  }

  holdAll(
    verb: string,
    items: readonly HoldAllItem[],
    options: HoldAllOptions,
  ) {
    checkItems(verb, items, HOLD_ALL_ITEM_FIELDS, options, HOLD_ALL_FIELDS);
    const limits = items.map((item) => this.hold(item.name, item));
    return { limits, expiresAfter: options.expiresAfter };
  }

  value(name: string, options: ValueOptions) {
    const target = this.target(name, options);
    return { ...target, sampleShards: options.sampleShards };
  }

  /** With the limit's current config, if the constructor names the limit. */
  settle(id: string) {
    const name = limitOfHold(id);
    const isNamed = name !== undefined && Object.hasOwn(this.limits, name);
    return { id, config: isNamed ? this.namedConfig(name) : undefined };
  }

  /** For a limit of any kind, or for rows under any name if there is no config. */
  reset(name: string, { key, config: inline }: TargetOptions) {
    if (inline === undefined && !Object.hasOwn(this.limits, name)) {
      return { name, key };
    }
    const config = checkedConfigOf(this.limits, name, inline);
    requireKeyIfSet(name, config, key);
    const { kind } = config;
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
    const config = this.requireOverrides(name);
    if (override.config !== undefined) {
      checkOptions(
        "an override's config",
        override.config,
        OVERRIDE_FIELDS,
        name,
      );
      if (config) requireOverridable(name, config, override.config);
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
   * Returns the limit's config, if it is known.
   *
   * @throws An `Error` if its `overrides` is not true.
   */
  requireOverrides(name: string): StoredConfig | undefined {
    const config = this.knownConfig(name);
    if (config === undefined || config.overrides === true) return config;
    throw new Error(
      `Rate limit ${name}: overrides must be true in its config for an override to take effect.`,
    );
  }

  /** @throws An `Error` if the limit has no `stats`. */
  requireStats(name: string): void {
    const config = this.knownConfig(name);
    if (config === undefined || (config.stats ?? false) !== false) return;
    throw new Error(
      `Rate limit ${name}: stats must be true, or a share, in its config for its calls to be counted.`,
    );
  }

  /** Like `namedConfig`; undefined if the constructor names no limits, which allows any name. */
  private knownConfig(name: string): StoredConfig | undefined {
    return Object.keys(this.limits).length > 0
      ? this.namedConfig(name)
      : undefined;
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
  itemFields: readonly string[],
  options: AnyOptions,
  listFields: readonly string[],
): void {
  requireList(verb, items, "{ name }");
  const [first] = items;
  if (first === undefined) {
    throw new Error(`${verb}: the list is empty. Name at least one limit.`);
  }
  for (const item of items) checkOptions(verb, item, itemFields);
  checkOptions(verb, options, listFields, first.name);
}

/** What callbacks learn about a request that was sent to the component. */
export type Requested = AmountOptions & { name: string };

type Granted = {
  ok?: true;
  warnings?: FunctionReturnType<ComponentApi["verbs"]["settle"]>["warnings"];
  /** The indexes of the requests that only a dry run let through. */
  spared?: number[];
};

type Denied = {
  ok: false;
  retryAfter: number;
  /** Which of the requests was denied; absent if there is only one. */
  blockedBy?: { index: number };
};

/** The component's answer, with `warnings` and `spared` for the callbacks. */
export type ComponentAnswer = Granted | Denied;

/**
 * Calls `onDenied`, `onWouldDeny` and `onWarning` as the answer requires, and removes from it what
 * only they need.
 *
 * @throws A `ConvexError` if denied and `throws` is true, and whatever a callback throws.
 */
export async function runCallbacks<Answer extends ComponentAnswer>(
  callbacks: RateLimiterOptions,
  ctx: MutationCtx,
  answer: Answer,
  requests: readonly Requested[] = [],
  throws?: boolean,
): Promise<Answer> {
  if (answer.ok === false) {
    const { name, key, count = 1 } = deniedRequest(answer, requests);
    await callbacks.onDenied?.(ctx, {
      name,
      key,
      count,
      retryAfter: answer.retryAfter,
    });
    requireGranted(answer, requests, throws);
  } else {
    const { warnings = [], spared = [] } = answer;
    delete answer.warnings;
    delete answer.spared;
    for (const index of spared) {
      const { name, key, count = 1 } = requests[index]!;
      await callbacks.onWouldDeny?.(ctx, { name, key, count });
    }
    for (const { name, key, ...warning } of warnings) {
      await callbacks.onWarning?.(ctx, { name, key, ...warning });
    }
  }
  return answer;
}

/** @throws A `ConvexError` if denied and `throws` is true. */
export function requireGranted(
  answer: { ok: true } | Denied,
  requests: readonly Requested[],
  throws: boolean | undefined,
): void {
  if (answer.ok || throws !== true) return;
  const { name } = deniedRequest(answer, requests);
  throw rateLimitedError(name, answer.retryAfter);
}

function deniedRequest(
  { blockedBy }: Denied,
  requests: readonly Requested[],
): Requested {
  return requests[blockedBy?.index ?? 0]!;
}
