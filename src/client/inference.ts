import type {
  CalendarWindowConfig,
  ConcurrencyConfig,
  FieldOfConcurrency,
  FieldOfRefilling,
  FixedWindowConfig,
  LimitConfig,
  RateLimitConfig,
  TokenBucketConfig,
} from "../core/config.js";
import type {
  HoldId,
  HoldItemOptions,
  IdOf,
  LeaseId,
  RequestOptions,
  SettleAllItem,
} from "./types.js";

/*
 * How the compiler checks a call, for example with these limits:
 *
 *     user: { kind: "token bucket", …, requireKey: true }
 *     render: { kind: "concurrency", … }
 *
 * - `limit(ctx, "user", { key })` passes no config, so `Config` is undefined. `InferredName` allows
 *   only the limits that refill: "user". `KeyedOptions` want a key, since its config does.
 * - `limit(ctx, "other", { config })`: `ConfigOption` infers `Config`, so `InferredName` allows any
 *   name. Whether `KeyedOptions` want a key follows from that config.
 * - `hold(ctx, "render")`: `KindOfCall` is "concurrency", so `IdOf` is a `LeaseId`, and
 *   `expiresAfter` is refused. `hold(ctx, "user", { key })` gives a `HoldId`.
 *
 * A list does the same for each of its items: `ItemsOf` and `HeldItemsOf`.
 */

/**
 * The names that a call takes: any name if it passes a config, otherwise only `Names`. `Config`
 * includes undefined if the call may pass no config.
 */
export type NameOf<Names extends string, Config> = undefined extends Config
  ? Names
  : AnyName<Names>;

/**
 * The same, without the names that the editor suggests, and infers `Name`. Were `Name` constrained
 * to the names instead, TypeScript could not call the methods of a union of limiters: it wants the
 * same type parameters in each of them.
 */
export type InferredName<
  Names extends string,
  Name extends string,
  Config,
> = (undefined extends Config ? Names : string) & Inferred<Name, Name>;

/** Any name. The known ones are part of the type so that editors suggest them. */
export type AnyName<Names extends string> =
  Names | (string & Record<never, never>);

export type Kind = LimitConfig["kind"];

export type Kinds = Record<string, { kind: Kind }>;

/** The names of the limits that refill with time. */
export type RefillingName<Limits extends Kinds> = {
  [Name in keyof Limits]: {
    "token bucket": Name;
    "fixed window": Name;
    concurrency: never;
  }[Limits[Name]["kind"]];
}[keyof Limits];

/**
 * Not a real name. Listed with the names of limits that refill, it makes the compiler's error say
 * what to do with any other name. `never` if no concurrency limit is named.
 */
export type OnlyHeld<Limits extends Kinds> = string extends keyof Limits
  ? never
  : {
      "token bucket": never;
      "fixed window": never;
      concurrency: Otherwise<"pass a config, or hold a concurrency limit">;
    }[Limits[keyof Limits]["kind"]];

/** Never a name. It shows in the compiler's error what to do if none of the names fits. */
export type Otherwise<What extends string> = string & {
  readonly otherwise: What;
};

/** The config that answers show for the limit of a call. */
export type ShownConfigOf<Limits extends Kinds, Name, Config> = {
  "token bucket": RateLimitConfig;
  "fixed window": RateLimitConfig;
  concurrency: ConcurrencyConfig;
}[KindOfCall<Limits, Name, Config>];

/** The kind of the limit of a call: that of the named limit, or of the config that it passes. */
export type KindOfCall<Limits extends Kinds, Name, Config> =
  | (undefined extends Config ? Limits[Name & keyof Limits]["kind"] : never)
  | (Config & { kind: Kind })["kind"];

/** The limits that the constructor takes, by the kind of each. */
export type LimitsOfKinds<Limits extends Kinds> = {
  [Name in keyof Limits]: {
    "token bucket": WrittenRefilling;
    "fixed window": WrittenRefilling;
    concurrency: WrittenConcurrency;
  }[Limits[Name]["kind"]];
};

/**
 * Not a real value. It makes the compiler's error say why a calendar period is not allowed here.
 */
type PeriodInMs<Why extends string> = number & { readonly why: Why };

/**
 * A config without fields that belong to other kinds. There they are `undefined`, for code that
 * reads configs of any kind; an editor would offer them.
 */
type Written<Config, Others> = {
  [Field in keyof Config as Exclude<Field, Others>]: Config[Field];
};

/** A token bucket, as an app writes it. */
export type WrittenBucket = Written<
  TokenBucketConfig,
  "lease" | "period" | "timeZone" | "weekStart"
> & {
  /** The time in which `rate` tokens are added, in ms. Finite, above 0. */
  period:
    | number
    | PeriodInMs<"a period of the calendar, such as a day, is for a fixed window">;
};

/** A fixed window, as an app writes it. */
export type WrittenWindow =
  Written<FixedWindowConfig, "lease"> | Written<CalendarWindowConfig, "lease">;

/** A concurrency limit, as an app writes it. */
export type WrittenConcurrency = Written<
  ConcurrencyConfig,
  Exclude<FieldOfRefilling, FieldOfConcurrency>
>;

/** The config of a limit that refills with time, as an app writes it. */
export type WrittenRefilling = WrittenBucket | WrittenWindow;

/** The config of a limit of any kind, as an app writes it. */
export type WrittenConfig = WrittenRefilling | WrittenConcurrency;

/**
 * Infers `Type` from an argument as a `Shape`, and accepts everything: TypeScript infers through
 * both branches of a conditional type, and once it knows `Type`, `unknown` is left. Intersect it
 * with the type that checks. `ConfigOption` infers `{ config: Config }` and checks
 * `{ config?: Shape }`, so a misspelt field of the config is the compiler's usual error.
 */
export type Inferred<Shape, Type> = [Type] extends [never] ? Shape : unknown;

/** The config of one call. TypeScript infers its type here. */
export type ConfigOption<Config, Shape = WrittenRefilling> = {
  /** The config of a limit that the constructor does not name. */
  config?: Shape | undefined;
} & Inferred<{ config: Config }, Config>;

/**
 * A config that a function finds on the server. `Args` is what the function gets after the ctx and
 * the key.
 */
export type ConfigFunction<
  Ctx,
  Key extends string | null,
  Found,
  Args extends unknown[] = [],
> = {
  /**
   * Returns the config of a limit that the constructor does not name, for example that of the
   * user's plan. It is called on the server in each call, after `key`, with the key that was found.
   * If it returns undefined, the named limit's config applies.
   */
  config?: (
    ctx: Ctx,
    key: Exclude<Key, null> | (null extends Key ? undefined : never),
    ...args: Args
  ) => MaybePromise<Found>;
};

/** Options with a function that finds the config. */
export type WithConfigFunction = { config: (...args: never) => unknown };

/**
 * The last arguments of an overload for options with a function that finds the config: none. Given
 * any other options, it wants more arguments than a call has, so that the compiler's error is that
 * of the other overload alone.
 */
export type NoneIfConfigFunction<Given> = [Given] extends [WithConfigFunction]
  ? []
  : [never, never, never];

/** The same for a list. */
export type NoneIfList<Given> = [Given] extends [never]
  ? []
  : Given extends string
    ? [never, never, never]
    : [];

export type MaybePromise<Value> = Value | Promise<Value>;

/** The kind of a config; `never` if its type requires a key, since true & false is never. */
type KeylessKind<Config> = (Config & {
  kind: Kind;
  requireKey?: false | undefined;
})["kind"];

type KeylessKinds<Limits, Name, Config> =
  KeylessKind<Limits[Name & keyof Limits]> | KeylessKind<Config>;

/**
 * `Yes` if the limit of a call is known to require a key, else `No`. The first line gives `No`
 * without a conditional type, which the compiler would not resolve in a function that is generic in
 * the names.
 */
type IfKeyRequired<Limits, Name, Config, Yes, No> =
  | { [_ in Kind]: No }[KeylessKinds<Limits, Name, Config>]
  | ([KeylessKinds<Limits, Name, Config>] extends [never] ? Yes : never);

/** What a call lacks, or has too much of. It shows in the compiler's error what to do. */
export interface Needs<What extends string> {
  readonly needs: What;
}

/**
 * What the name of a call with a config must be: if the constructor names that limit, a type that
 * no name has.
 */
export type UnnamedIf<Limits, Name, Config> = undefined extends Config
  ? unknown
  : string extends keyof Limits
    ? unknown
    : Name extends keyof Limits
      ? Name &
          Needs<"no config in the call, since the constructor has its config">
      : unknown;

/** Infers a number of a call, and refuses literals that the component refuses. */
export type AtLeast0<N extends number, Field extends string = "count"> = {
  [_ in Field]?: (N & NotNegative<N, Field>) | undefined;
};

type NotNegative<N extends number, Field extends string> = N extends unknown
  ? `${N}` extends `-${string}`
    ? Needs<`a ${Field} >= 0`>
    : N
  : never;

/** The same for the numbers of an item of a list. */
export type ItemAtLeast0<Item, Fields extends string> = {
  [Field in Fields]?: Item extends { [_ in Field]: infer N extends number }
    ? NotNegative<N, Field>
    : unknown;
};

/** The same for verbs that refuse 0, too. */
export type Above0<Count extends number> = AtLeast0<Count> & {
  count?: ([Count] extends [0] ? Needs<"a count above 0"> : Count) | undefined;
};

/** A key, if the limit of a call requires one. */
export type RequiredKey<Limits, Name, Config, Key = string> = IfKeyRequired<
  Limits,
  Name,
  Config,
  KeyFor<"requireKey: true", Key>,
  unknown
>;

/** The key that a call needs. `_Field` shows in the compiler's error why. */
export type KeyFor<_Field extends string, Key = string> = { key: Key };

/** Wants a key, and infers `Given` from the options, as {@link Inferred} does. */
type Keyed<Given> = [Given] extends [never]
  ? Given
  : KeyFor<"requireKey: true">;

/**
 * What else the name of a call must be: usually `unknown`, so anything. It is a type that no name
 * has, so that the compiler's error says what to do, if the limit requires a key and the call has
 * none, or if it has a config in the constructor and in the call. `Given` is the type of the
 * options.
 */
export type KeyedName<Limits, Name, Config, Given> = UnnamedIf<
  Limits,
  Name,
  Config
> &
  (IsAny<Given> extends true
    ? unknown
    : [Given] extends [{ key: unknown }]
      ? unknown
      : IfKeyRequired<
          Limits,
          Name,
          Config,
          IfKnown<
            Limits,
            Name,
            Config,
            Name & Needs<"a key, since its config has requireKey">
          >,
          unknown
        >);

/** `Type` if the config of a call is known: that of a named limit, or its own. */
type IfKnown<Limits, Name, Config, Type> = undefined extends Config
  ? [Name & keyof Limits] extends [never]
    ? unknown
    : Type
  : Type;

type IsAny<Type> = 0 extends 1 & Type ? true : false;

/** Null, which selects the shared balance; `never` if the limit requires a key. */
export type SharedKey<Limits, Name, Config> = IfKeyRequired<
  Limits,
  Name,
  Config,
  never,
  null
>;

/** What else the options of a call must have: a key, if the limit requires one. */
export type KeyedOptions<Limits, Name, Config, Given> = IfKeyRequired<
  Limits,
  Name,
  Config,
  IfKnown<Limits, Name, Config, Keyed<Given>>,
  unknown
>;

/**
 * The last argument of a call whose options may have a key function. TypeScript infers such a
 * function too late for `KeyedName`, so the options themselves are required if the limit requires a
 * key.
 */
export type FunctionOptionsOf<Limits, Name, Config, Options> = IfKeyRequired<
  Limits,
  Name,
  Config,
  [options: KeyFor<"requireKey: true", NonNullable<unknown>> & Options],
  [options?: Options]
>;

/**
 * The arguments after the name in an overload that no valid call matches. If the limit requires a
 * key and the call has no options, the compiler picks this overload, and its error mentions
 * `requireKey` and not the number of arguments. Any other call has too few arguments for it.
 */
export type NoneIfKeyRequired<Limits, Name> = Name extends keyof Limits
  ? IfKeyRequired<Limits, Name, undefined, [], [never, never, never]>
  : [never, never, never];

/** The requests of a list. `Names` are the names that need no config. */
export type ItemsOf<
  Limits,
  Names extends string,
  Items extends readonly unknown[],
> = {
  [Index in keyof Items]: RequestOptions &
    ItemAtLeast0<Items[Index], "leave"> &
    ItemOf<Limits, Names, Items[Index], WrittenRefilling> &
    Inferred<Items[Index], Items[Index]>;
};

/** The same for `holdAll`, whose limits are of any kind. */
export type HeldItemsOf<
  Limits extends Kinds,
  Items extends readonly unknown[],
> = {
  [Index in keyof Items]: HoldItemOptions<KindOfItem<Limits, Items[Index]>> &
    ItemAtLeast0<Items[Index], "count" | "leave"> &
    ItemOf<Limits, keyof Limits & string, Items[Index], WrittenConfig> &
    Inferred<Items[Index], Items[Index]>;
};

/** The holds that `settleAll` ends: a lease takes no count. */
export type SettledItemsOf<Items extends readonly unknown[]> = {
  [Index in keyof Items]: SettledOf<Items[Index]> &
    ItemAtLeast0<Items[Index], "count"> &
    Inferred<Items[Index], Items[Index]>;
};

type SettledOf<Item> = Item extends { id: LeaseId; count: number }
  ? Item extends { id: HoldId }
    ? SettleAllItem
    : SettleAllItem & { id: Otherwise<"no count, which a lease does not take"> }
  : SettleAllItem;

/** The ids of the holds of a list, each by the kind of its limit. */
export type IdsOf<Limits extends Kinds, Items extends readonly unknown[]> = {
  -readonly [Index in keyof Items]: IdOf<KindOfItem<Limits, Items[Index]>>;
};

type KindOfItem<Limits extends Kinds, Item> = KindOfCall<
  Limits,
  NameOfItem<Item>,
  ConfigOfItem<Item>
>;

type NameOfItem<Item> = Item extends { name: infer Name } ? Name : unknown;

type ConfigOfItem<Item> = Item extends { config: infer Config }
  ? Config
  : undefined;

/**
 * The fields of an item that depend on its name and config, for each part of a union on its own.
 */
type ItemOf<Limits, Names extends string, Item, Config> = Item extends unknown
  ? ItemFields<
      NameOf<Names, ConfigOfItem<Item>> &
        KeyedNameOfItem<Limits, NameOfItem<Item>, ConfigOfItem<Item>, Item>,
      Config
    > &
      RequiredKey<Limits, NameOfItem<Item>, ConfigOfItem<Item>>
  : never;

/**
 * What else the name of an item must be. If there is no such limit and no config, anything: then
 * the error is about the name alone.
 */
type KeyedNameOfItem<Limits, Name, Config, Item> = [Name] extends [keyof Limits]
  ? KeyedName<Limits, Name, Config, Item>
  : unknown;

export type ItemFields<Name, Config = WrittenRefilling> = {
  /** The limit's name in the constructor; any name if the item passes a `config`. */
  name: Name;
  /** The config of a limit that the constructor does not name. */
  config?: Config | undefined;
};

/** Never a name. It shows in the compiler's error which field the limit's config lacks. */
export type LimitWith<Field extends string> = string & {
  readonly itsConfig: Field;
};

/**
 * The names of the limits whose config may have one of these values in the field, judged by its
 * type. Any name if the constructor was given none.
 */
export type NameWith<Limits, Field extends string, Value> = [
  keyof Limits,
] extends [never]
  ? string
  : keyof {
      [
        Name in keyof Limits as MayBe<Limits[Name], Field, Value> extends true
          ? Name
          : never
      ]: unknown;
    } &
      string;

type MayBe<Config, Field extends string, Value> = Field extends keyof Config
  ? [Extract<Config[Field], Value>] extends [never]
    ? false
    : true
  : false;
