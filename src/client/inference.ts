import type {
  ConcurrencyConfig,
  LimitConfig,
  RateLimitConfig,
} from "../core/config.js";
import type { HoldId, LeaseId } from "./types.js";

/*
 * How the compiler checks a call such as `limit(ctx, "user", { key, throws: true })`:
 *
 * - `Options` is inferred as `{ key: string; throws: true }`, and `Name` as "user".
 * - `NameOf` is what the name must be. Without a config that is one of the constructor's names; a
 *   call that lacks something gets `Needs<…>`, whose text the compiler's error shows.
 * - The answer follows from `Options`: `Flag<Options, "throws">` is true.
 *
 * A list does the same for each of its items: see `ItemsOf`.
 */

export type Kind = LimitConfig["kind"];

export type MaybePromise<Value> = Value | Promise<Value>;

/** Any name. The known ones are part of the type so that editors suggest them. */
export type AnyName<Names extends string> =
  Names | (string & Record<never, never>);

/** What a call lacks. No value has this type: it shows in the compiler's error what to do. */
export interface Needs<What extends string> {
  readonly needs: What;
}

/**
 * Infers `Type` from an argument, and accepts everything: TypeScript infers through both branches
 * of a conditional type, and once it knows `Type`, `unknown` is left. Intersect it with the type
 * that checks the argument, so that a misspelt field is the compiler's usual error.
 */
export type Inferred<Type> = [Type] extends [never] ? Type : unknown;

/**
 * Infers the names of the fields that an argument has, and accepts everything. For options with
 * functions, whose own types TypeScript infers too late to check a name by them.
 */
export type InferredFields<Fields extends string> = [Fields] extends [string]
  ? unknown
  : { [_ in Fields]?: unknown };

/** Options of which only the names of the fields are known, as {@link NameOf} reads them. */
export type OptionsWith<Fields extends string> = {
  [Field in Fields]: Field extends "key" ? string : object;
};

/** Whether an option is true: `boolean` if that is not known. */
export type Flag<Options, Field extends string> = Field extends keyof Options
  ? IsTrue<Options[Field]>
  : false;

type IsTrue<Value> = Value extends true ? true : false;

type ConfigOf<Options> = "config" extends keyof Options
  ? Options["config"]
  : undefined;

/**
 * The name of the limit of a call: one of `Limits`, or any if the options have a config.
 *
 * @typeParam Refused The kind of limits that the call does not take.
 */
export type NameOf<
  Limits,
  Name extends string,
  Options,
  Refused = never,
> = string extends keyof Limits
  ? string
  : undefined extends ConfigOf<Options>
    ? keyof Limits &
        string &
        Inferred<Name> &
        ([Name] extends [keyof Limits]
          ? Fit<Limits[Name], Name, Options, Refused>
          : NamesBut<Limits, Refused>)
    : Inferred<Name> & string & Fit<ConfigOf<Options>, Name, Options, Refused>;

/** The name of a limit that refills: tokens of a concurrency limit are only held. */
export type RefillingNameOf<Limits, Name extends string, Options> = NameOf<
  Limits,
  Name,
  Options,
  "concurrency"
>;

/** The names of the limits that are not of a kind. */
export type NamesBut<Limits, Refused> = {
  [Name in keyof Limits & string]: Limits[Name] extends { kind: Refused }
    ? never
    : Name;
}[keyof Limits & string];

type Fit<Config, Name, Options, Refused> = [Config] extends [never]
  ? unknown
  : [Config] extends [{ kind: Refused }]
    ? Name & Needs<"hold or whileHolding, since its kind is concurrency">
    : [Config] extends [{ requireKey: true }]
      ? Options extends { key: string }
        ? unknown
        : Name & Needs<"a key, since its config has requireKey">
      : unknown;

/** The items of a list: each has the `Fields` of a request, and a name that fits the rest of it. */
export type ItemsOf<
  Limits,
  Items extends readonly unknown[],
  Fields,
  Refused = never,
> = { [Index in keyof Items]: ItemOf<Limits, Items[Index], Fields, Refused> };

type ItemOf<Limits, Item, Fields, Refused> = Item extends unknown
  ? Fields & Named<NameOf<Limits, NameIn<Item>, Item, Refused>> & Inferred<Item>
  : never;

export interface Named<Name extends string> {
  /** The limit's name in the constructor; any name if the item has a `config`. */
  name: Name;
}

type NameIn<Item> = Item extends { name: infer Name extends string }
  ? Name
  : string;

/** The kind of the limit of a call: that of its own config, or of the named limit. */
export type KindOf<Limits extends Kinds, Name, Options> =
  | (undefined extends ConfigOf<Options>
      ? Limits[Name & keyof Limits]["kind"]
      : never)
  | (ConfigOf<Options> & { kind: Kind })["kind"];

type Kinds = Record<string, { kind: Kind }>;

/** The config that answers show for a limit of this kind. */
export type ShownConfigOf<OfKind extends Kind> = {
  "token bucket": RateLimitConfig;
  "fixed window": RateLimitConfig;
  concurrency: ConcurrencyConfig;
}[OfKind];

/** The id of a hold, by the kind of its limit: any string if the kind is not known. */
export type IdOf<OfKind extends Kind> = [OfKind] extends ["concurrency"]
  ? LeaseId
  : "concurrency" extends OfKind
    ? string
    : HoldId;

/** The ids of the holds of a list. */
export type IdsOf<Limits extends Kinds, Items extends readonly unknown[]> = {
  -readonly [Index in keyof Items]: IdOf<
    KindOf<Limits, NameIn<Items[Index]>, Items[Index]>
  >;
};

/** The names of the limits whose config may set a field. Any name if the constructor has none. */
export type NameWith<Limits, Field extends string> = [keyof Limits] extends [
  never,
]
  ? string
  : | {
        [Name in keyof Limits & string]: Limits[Name] extends Unset<Field>
          ? never
          : Name;
      }[keyof Limits & string]
    | (string & Needs<`${Field} in its config`>);

type Unset<Field extends string> = { kind: Kind } & {
  [_ in Field]?: false | undefined;
};
