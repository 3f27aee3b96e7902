import {
  toStored,
  type LimitConfig,
  type StoredConfig,
} from "../core/config.js";
import { parseHoldId } from "../core/holdId.js";
import { requireOverridable } from "../core/checkWrittenConfig.js";
import type { NamedLimits } from "../core/vConfig.js";
import { checkKey } from "./key.js";
import { configOf, requireRefilling, type NamedConfigs } from "./limits.js";
import {
  checkOptions,
  HELD_ITEM,
  HELD_LIST,
  ITEM,
  LIST,
  OVERRIDDEN,
  type Options,
} from "./options.js";
import type {
  AmountOptions,
  AnswerOptions,
  GetValueOptions,
  HoldAllItem,
  HoldAllOptions,
  HoldOptions,
  KeyOption,
  LimitAllItem,
  RateLimiterOptions,
  RequestOptions,
  SetOverrideOptions,
} from "./types.js";

/** The options that select the limit of a call. */
export type AccountOptions = KeyOption & { config?: LimitConfig | undefined };

/** The options of `getValue`, with the limit that they select. */
export type ValueOptions = GetValueOptions & AccountOptions;

/**
 * Makes what a limiter's calls request of the component: checked, and with the limit's config as
 * the component stores it.
 */
export class Requests {
  constructor(
    readonly limits: NonNullable<NamedConfigs> = {},
    private readonly options: Pick<RateLimiterOptions, "advice">,
  ) {}

  /** Of a limit of any kind. */
  account(name: string, { key, config: inline }: AccountOptions) {
    const config = configOf(this.limits, name, inline);
    checkKey(name, config, key);
    return { name, key, config: this.stored(config, inline !== undefined) };
  }

  /** Of a limit that refills with time. */
  refilling(name: string, options: AccountOptions) {
    const { config, ...account } = this.account(name, options);
    requireRefilling(name, config);
    return { ...account, config };
  }

  amount(name: string, options: AmountOptions & AccountOptions) {
    return { ...this.refilling(name, options), count: options.count };
  }

  limit(name: string, options: RequestOptions & AccountOptions) {
    const { reserve, leave } = options;
    return { ...this.amount(name, options), reserve, leave };
  }

  limitAll(
    verb: string,
    items: readonly LimitAllItem[],
    options: AnswerOptions<boolean>,
  ) {
    checkItems(verb, items, ITEM, options, LIST);
    const limits = items.map((item) => this.limit(item.name, item));
    return { limits, details: options.details };
  }

  hold(name: string, options: HoldOptions & AccountOptions) {
    const { count, leave, expiresAfter, once } = options;
    return { ...this.account(name, options), count, leave, expiresAfter, once };
  }

  holdAll(
    verb: string,
    items: readonly HoldAllItem[],
    options: HoldAllOptions,
  ) {
    checkItems(verb, items, HELD_ITEM, options, HELD_LIST);
    const limits = items.map((item) => this.hold(item.name, item));
    return { limits, expiresAfter: options.expiresAfter };
  }

  value(name: string, options: ValueOptions) {
    const account = this.account(name, options);
    return { ...account, sampleShards: options.sampleShards };
  }

  /** With the current config of the hold's limit, if the constructor names it. */
  settle(id: string) {
    const name = limitOfHold(id);
    const isNamed = name !== undefined && Object.hasOwn(this.limits, name);
    return { id, config: isNamed ? this.configOf(name) : undefined };
  }

  /** With the config, if it is known. */
  reset(name: string, options: AccountOptions) {
    if (options.config === undefined && !Object.hasOwn(this.limits, name)) {
      return { name, key: options.key };
    }
    return this.account(name, options);
  }

  /** @throws An `Error` if the limit has no overrides, or no such field. */
  override(
    name: string,
    {
      key,
      startsAt,
      expiresAt,
      note,
      name: _,
      credit: _credit,
      ...override
    }: SetOverrideOptions & { name?: string },
  ) {
    const config = this.requireOverrides(name);
    if (override.config !== undefined) {
      checkOptions("an override's config", override.config, OVERRIDDEN, name);
      if (config) requireOverridable(name, config, override.config);
    }
    return { name, key, override, startsAt, expiresAt, note };
  }

  /** The config of a limit that the constructor names, as the component stores it. */
  configOf(name: string): StoredConfig {
    return this.stored(configOf(this.limits, name));
  }

  /** The limits that the constructor names, with their current configs. */
  named(): NamedLimits {
    return Object.keys(this.limits).map((name) => ({
      name,
      config: this.configOf(name),
    }));
  }

  /**
   * The limit's config, if it is known.
   *
   * @throws An `Error` if the limit has no overrides.
   */
  requireOverrides(name: string): StoredConfig | undefined {
    const config = this.known(name);
    if (config === undefined || config.overrides === true) return config;
    throw new Error(
      `Rate limit ${name}: overrides must be true in its config for an override to take effect.`,
    );
  }

  /** @throws An `Error` if the limit does not count its calls. */
  requireStats(name: string): void {
    const config = this.known(name);
    if (config === undefined || (config.stats ?? false) !== false) return;
    throw new Error(
      `Rate limit ${name}: stats must be true, or a share, in its config for its calls to be counted.`,
    );
  }

  /** As `configOf`; undefined if the constructor names no limits, so that every name will do. */
  private known(name: string): StoredConfig | undefined {
    return Object.keys(this.limits).length > 0
      ? this.configOf(name)
      : undefined;
  }

  /** The config as the component stores it. */
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

/** The limit of a hold; undefined if it is not the id of a hold. */
export function limitOfHold(id: string): string | undefined {
  return parseHoldId(String(id)).name;
}

/**
 * Checks the items of a list and its options, each against the fields that they may have.
 *
 * @throws An `Error` if the list is empty, or if one of them has another field.
 */
function checkItems(
  verb: string,
  items: readonly { name: string }[],
  ofItem: readonly string[],
  options: Options,
  ofList: readonly string[],
): void {
  const [first] = items;
  if (first === undefined) {
    throw new Error(`${verb}: the list is empty. Name at least one limit.`);
  }
  for (const item of items) checkOptions(verb, item, ofItem);
  checkOptions(verb, options, ofList, first.name);
}
