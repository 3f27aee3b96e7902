import type {
  GenericActionCtx,
  GenericDataModel,
  GenericMutationCtx,
  GenericQueryCtx,
  PaginationOptions,
  RegisteredMutation,
  RegisteredQuery,
} from "convex/server";
import type { GenericId } from "convex/values";
import type {
  ConcurrencyConfig,
  LimitConfig,
  RateLimitConfig,
  ShownConfig,
  RefillingConfig,
  TokenBucketConfig,
} from "../core/config.js";
import type { GetValueArgs, GetValueReturns } from "../core/value.js";

/** What a call needs that only reads: the ctx of a query, a mutation or an action. */
export type QueryCtx =
  Pick<GenericQueryCtx<GenericDataModel>, "runQuery"> | MutationCtx;

/** What a call needs that also writes: the ctx of a mutation or an action. */
export type MutationCtx =
  | Pick<GenericMutationCtx<GenericDataModel>, "runQuery" | "runMutation">
  | Pick<GenericActionCtx<GenericDataModel>, "runQuery" | "runMutation">;

/** The ctx of an action, as far as a call needs it. */
export type ActionCtx = Pick<
  GenericActionCtx<GenericDataModel>,
  "runQuery" | "runMutation" | "runAction"
>;

/** What `limitHttp` needs: the ctx of an HTTP action. */
export type HttpCtx = ActionCtx &
  Pick<GenericActionCtx<GenericDataModel>, "meta">;

/** What `schedule` needs: the ctx of a mutation or an action. */
export type SchedulingCtx = MutationCtx &
  Pick<GenericMutationCtx<GenericDataModel>, "scheduler">;

/** What `cancelScheduled` needs: the ctx of a mutation. */
export type CancellingCtx = Pick<
  GenericMutationCtx<GenericDataModel>,
  "runQuery" | "runMutation" | "scheduler"
> & {
  db: Pick<GenericMutationCtx<GenericDataModel>["db"], "system">;
};

/** The names that the constructor was given; any name, if it was given none. */
export type RateLimitName<Limits> = [keyof Limits] extends [never]
  ? string
  : keyof Limits & string;

/**
 * The names that a call takes: any if it brings a config, else only these. `Config` includes
 * undefined if it may bring none.
 */
export type NameOf<Names extends string, Config> = undefined extends Config
  ? Names
  : AnyName<Names>;

/** Any name. The known ones are spelt out for editors to offer. */
export type AnyName<Names extends string> =
  Names | (string & Record<never, never>);

type Kind = LimitConfig["kind"];

type Kinds = Record<string, { kind: Kind }>;

/** The names of the limits that refill with time. */
export type RefillingName<Limits extends Kinds> = {
  [Name in keyof Limits]: {
    "token bucket": Name;
    "fixed window": Name;
    concurrency: never;
  }[Limits[Name]["kind"]];
}[keyof Limits];

/** The names of the concurrency limits. */
export type ConcurrencyName<Limits extends Kinds> = {
  [Name in keyof Limits]: {
    "token bucket": never;
    "fixed window": never;
    concurrency: Name;
  }[Limits[Name]["kind"]];
}[keyof Limits];

type ShownByKind = {
  "token bucket": RateLimitConfig;
  "fixed window": RateLimitConfig;
  concurrency: ConcurrencyConfig;
};

/**
 * The config that answers show of a limit: that of its name, or of the call that brings one.
 * It is told the kind of the latter and not its type, which the compiler would else take from
 * wherever the answer goes.
 */
export type ShownOf<
  Limits extends Kinds,
  Name,
  IsNamed,
  Kind extends LimitConfig["kind"],
> =
  | (IsNamed extends true
      ? ShownByKind[Limits[Name & keyof Limits]["kind"]]
      : never)
  | ShownByKind[Kind];

/** The kind of the limit of a call. */
export type KindOfCall<Limits extends Kinds, Name, Config> =
  | (IsNamed<Config> extends true ? Limits[Name & keyof Limits]["kind"] : never)
  | KindOf<Config>;

/** Whether a call may bring no config, so that the one of the name holds. */
export type IsNamed<Config> = undefined extends Config ? true : false;

/** The kind of the config that a call brings; `never` for none. */
export type KindOf<Config> = Config extends {
  kind: infer Kind extends LimitConfig["kind"];
}
  ? Kind
  : never;

/** What the constructor takes, by the kind of each limit. */
export type LimitsOfKinds<Limits extends Kinds> = {
  [Name in keyof Limits]: ConfigByKind[Limits[Name]["kind"]];
};

/** No period: it says in the compiler's errors why one of the calendar is none. */
type PeriodInMs<Why extends string> = number & { readonly why: Why };

/** A token bucket, as an app writes it. */
type WrittenBucket = TokenBucketConfig & {
  period:
    | number
    | PeriodInMs<"a period of the calendar, such as a day, is for a fixed window">;
};

/** The rule of one limit that refills with time, as an app writes it. */
type WrittenRefilling =
  WrittenBucket | Exclude<RefillingConfig, TokenBucketConfig>;

/** The rule of one limit, of any kind, as an app writes it. */
export type WrittenConfig = WrittenRefilling | ConcurrencyConfig;

type ConfigByKind = {
  "token bucket": WrittenRefilling;
  "fixed window": WrittenRefilling;
  concurrency: ConcurrencyConfig;
};

/**
 * Lets everything pass, and infers `Type` from what is given as a `Shape`. The type that
 * checks it stands beside it, so that a misspelt field is the compiler's usual error.
 */
export type Inferred<Shape, Type> = [Type] extends [never] ? Shape : unknown;

/** The config of one call, and where the compiler finds out its type. */
export type ConfigOption<Config, Shape = WrittenRefilling> = {
  /** The rule of a limit that the constructor does not name. */
  config?: Shape | undefined;
} & Inferred<{ config: Config }, Config>;

/** The kind of a config; `never` if it is known to require a key, since true & false is never. */
type KeylessKind<Config> = (Config & {
  kind: Kind;
  requireKey?: false | undefined;
})["kind"];

type KeylessKinds<Limits, Name, Config> =
  KeylessKind<Limits[Name & keyof Limits]> | KeylessKind<Config>;

/**
 * One of two types, by whether the limit of a call is known to require a key. Where it is not,
 * the first line says `No`: without a conditional type, which the compiler would not resolve in a
 * function that is generic in the names.
 */
type IfKeyRequired<Limits, Name, Config, Yes, No> =
  | { [_ in Kind]: No }[KeylessKinds<Limits, Name, Config>]
  | ([KeylessKinds<Limits, Name, Config>] extends [never] ? Yes : never);

/** A key, if the limit of a call requires one. */
export type RequiredKey<Limits, Name, Config> = IfKeyRequired<
  Limits,
  Name,
  Config,
  { key: string },
  unknown
>;

/** Null, the key of what all share; `never` if the limit requires a key. */
export type SharedKey<Limits, Name, Config> = IfKeyRequired<
  Limits,
  Name,
  Config,
  never,
  null
>;

/**
 * The last argument of a call. With `limits = { user: { …, requireKey: true }, all: { … } }`:
 * - `"all"`: `[options?: Options]`
 * - `"user"`: `[options: Options & { key: string }]`
 * - `"other"`, with a `config`: as if that were the limit's
 */
export type OptionsOf<
  Limits,
  Name,
  Config,
  Options,
  Key = string,
> = IfKeyRequired<
  Limits,
  Name,
  Config,
  [options: Options & { key: Key }],
  [options?: Options]
>;

/** Whose limit it is. */
export type KeyOption = {
  /**
   * Who is limited: a user, a team, an address.
   * @default one limit that all share
   */
  key?: string | undefined;
};

/** What is asked of a limit. */
export type RequestOptions = KeyOption & {
  /**
   * The tokens wanted. Finite, at least 0; fractions are legal.
   * @default 1
   */
  count?: number | undefined;
  /**
   * Whether tokens that do not exist yet may be taken. `ok: true` may then come with a
   * `retryAfter`: run the work after that many ms, without asking again. `schedule` does
   * both.
   * @default false
   */
  reserve?: boolean | undefined;
  /**
   * How many tokens of the whole limit must remain afterwards, for others: a floor per
   * priority, for example. Finite, at least 0. Above 0 it makes no debt, even with
   * `reserve`. A limit that is split reads each of its rows.
   * @default 0
   */
  leave?: number | undefined;
};

/** What is asked of one limit alone. */
export type UpToOption<UpTo extends boolean> = {
  /**
   * Whether fewer tokens will do: takes the whole tokens that there are, at most `count`
   * and at least 1, and says how many in `taken`. `count` may then be above the capacity.
   * Not together with `reserve`. A limit that is split looks at each of its rows, unless one
   * holds all of `count`.
   * @default false
   */
  upTo?: UpTo | undefined;
  reserve?: (UpTo extends true ? false : boolean) | undefined;
};

/** What a denial comes to. */
export type ThrowsOption<Throws extends boolean = boolean> = {
  /**
   * Whether a denial throws a `ConvexError` with the data of {@link RateLimitError}
   * instead of returning, so that what returns is granted. An error that nobody catches
   * rolls the caller's mutation back, and with it whatever it had consumed.
   * @default false
   */
  throws?: Throws | undefined;
};

/** How the answer is given. */
export type AnswerOptions<
  Details extends boolean,
  Throws extends boolean = boolean,
> = ThrowsOption<Throws> & {
  /**
   * Whether the answer has `limit`, `remaining` and `resetAfter`, as
   * `rateLimitHeaders` needs them. Looks at each row of a limit that is split, in a
   * mutation without a read dependency.
   * @default false
   */
  details?: Details | undefined;
};

/** The options of `limit` and `check`, with the name and the config. */
export type RateLimitArgs = RequestOptions &
  UpToOption<boolean> &
  AnswerOptions<boolean> & { name: string; config: RefillingConfig };

/** The state of a limit after a call, for HTTP headers. */
export type RateLimitDetails = {
  /** The capacity. */
  limit: number;
  /** Whole tokens left: rounded down, never negative. */
  remaining: number;
  /** ms until the limit is full. */
  resetAfter: number;
};

type DetailsIf<Details extends boolean> = Details extends true
  ? RateLimitDetails
  : unknown;

type TakenIf<UpTo extends boolean> = UpTo extends true
  ? {
      /**
       * The whole tokens that the caller may use. All of `count`, and not what was taken,
       * if the key is unlimited or the limit is a dry run, which hold nobody back.
       */
      taken: number;
    }
  : unknown;

/** An answer: only the granted one, if a denial throws. */
type Answer<Throws extends boolean, Yes, No> = [Throws] extends [true]
  ? Yes
  : Yes | No;

/** The part of an answer that says yes. */
type Granted = {
  ok: true;
  /** Only if tokens were reserved: run the work after this many ms. */
  retryAfter?: number;
  /** Only in a dry run (see `enforce`), where it would have denied. */
  wouldDeny?: true;
};

/** The part of an answer that says no. */
type Denied = {
  ok: false;
  /** The ms after which the same request succeeds, if nobody else consumes. */
  retryAfter: number;
  wouldDeny?: undefined;
};

/**
 * The answer of `limit` and `check`; `RateLimitReturns<true>` with `details: true`,
 * `RateLimitReturns<false, true>` with `upTo: true`, `RateLimitReturns<false, false, true>`
 * with `throws: true`.
 *
 * - `ok: true`: granted. With a `retryAfter`, the tokens are reserved: run the work
 *   after that many ms, without asking again.
 * - `ok: false`: denied; nothing was consumed. The same request succeeds in
 *   `retryAfter` ms if nobody else consumes.
 *
 * `wouldDeny` appears only in a dry run (see `enforce`) that would have denied.
 */
export type RateLimitReturns<
  Details extends boolean = false,
  UpTo extends boolean = false,
  Throws extends boolean = false,
> = Answer<Throws, Granted & TakenIf<UpTo>, Denied> & DetailsIf<Details>;

/**
 * The answer of `limitAll` and `checkAll`. `blockedBy` is the first limit that refuses,
 * `retryAfter` the ms until all grant, by what is known now, and `remaining`, with
 * `details: true`, the least of all.
 */
export type LimitAllReturns<
  Details extends boolean = false,
  Throws extends boolean = false,
> = Answer<
  Throws,
  Granted,
  Denied & {
    /** The first limit that refuses. */
    blockedBy: { index: number; name: string };
  }
> &
  DetailsIf<Details>;

/** One of the requests of `limitAll` and `checkAll`. */
export type LimitAllItem<
  Limits extends Kinds = Record<string, RefillingConfig>,
> = RequestOptions &
  (
    | {
        [Name in RefillingName<Limits> & string]: ItemFields<Name> &
          RequiredKey<Limits, Name, undefined>;
      }[RefillingName<Limits> & string]
    | (ItemFields<string> & { config: RefillingConfig })
  );

/** The requests of a list, by the names that need no config. */
export type ItemsOf<
  Limits,
  Names extends string,
  Items extends readonly unknown[],
> = {
  [Index in keyof Items]: ItemOf<Limits, Names, Items[Index]> &
    Inferred<Items[Index], Items[Index]>;
};

type ItemOf<Limits, Names extends string, Item> = RequestOptions &
  (Item extends { config: infer Config }
    ? ItemFields<NameOf<Names, Config>> & KeyOfItem<Limits, Item, Config>
    : ItemFields<Names> & KeyOfItem<Limits, Item, undefined>);

type KeyOfItem<Limits, Item, Config> = Item extends { name: infer Name }
  ? RequiredKey<Limits, Name, Config>
  : unknown;

type ItemFields<Name> = {
  /** The limit, as the constructor names it; any name that stands for the config. */
  name: Name;
  /** The rule of a limit that the constructor does not name. */
  config?: WrittenRefilling | undefined;
};

/** The options of `getValue`. */
export type GetValueOptions = KeyOption & {
  /**
   * How many rows of a limit that is split are read, at random; their sum is scaled up.
   * Fewer rows read are fewer conflicts.
   * @default all
   */
  sampleShards?: number | undefined;
};

/** The options of `credit`, `charge` and `cancelScheduled`. */
export type AmountOptions = KeyOption & {
  /**
   * How many tokens. Finite, above 0.
   * @default 1
   */
  count?: number | undefined;
};

/** The options of `whileHolding`. */
export type WhileHoldingOptions<Throws extends boolean = boolean> = KeyOption &
  ThrowsOption<Throws> & {
    /**
     * The tokens to hold. Finite, at least 0; fractions are legal.
     * @default 1
     */
    count?: number | undefined;
  };

/** The options of `hold`, by the kind of the limit. */
export type HoldOptions<
  Throws extends boolean = boolean,
  OfKind extends Kind = Exclude<Kind, "concurrency">,
> = WhileHoldingOptions<Throws> & {
  /**
   * For how long it can be settled, in ms. Finite, above 0. After that its tokens stay taken. Of
   * what runs at once the lease says how long.
   * @default a day
   */
  expiresAfter?:
    ([OfKind] extends ["concurrency"] ? never : number) | undefined;
};

/** The options of `settle`. */
export type SettleOptions = {
  /** The tokens that were really used. Finite, at least 0; fractions are legal. */
  count: number;
};

/** The id of a hold of a concurrency limit, which cannot be settled. */
export type LeaseId = string & { readonly isLease?: true };

/** The id of a hold that can be settled. */
export type HoldId = string & { readonly isLease?: false };

/** The id of what is held of a limit of this kind. */
export type IdOf<OfKind extends Kind> = [OfKind] extends ["concurrency"]
  ? LeaseId
  : string;

/** The answer of `hold`. */
export type HoldReturns<
  Id extends string = string,
  Throws extends boolean = false,
> = Answer<
  Throws,
  {
    ok: true;
    /** For `settle`, `release` or `renew`. */
    id: Id;
    /** Only of a limit with `enforce: false`, where it would have denied. */
    wouldDeny?: true;
  },
  {
    ok: false;
    /** The ms after which the same request succeeds, if nobody else holds or consumes. */
    retryAfter: number;
    id?: undefined;
  }
>;

/** The answer of `whileHolding`: what the work returned, or when it may be tried again. */
export type WhileHoldingReturns<
  Result,
  Throws extends boolean = false,
> = Answer<
  Throws,
  { ok: true; result: Result },
  { ok: false; retryAfter: number }
>;

/**
 * What `ctx.scheduler` can run: a `FunctionReference` or, by its shape, since Convex before 1.46
 * does not have it, a `FunctionReference_future`.
 */
export type Schedulable = {
  _type: "mutation" | "action";
  _visibility: "public" | "internal";
  _componentPath: string | undefined;
  _fn?: ((args: never, keys: never) => unknown) | undefined;
};

type ArgsOf<Fn> = Fn extends { _args: infer Args }
  ? Args
  : Fn extends {
        _fn?: ((args: infer Args, keys: never) => unknown) | undefined;
      }
    ? Args
    : never;

/** The options of `schedule`. */
export type ScheduleOptions<
  Fn extends Schedulable,
  Throws extends boolean = boolean,
> = AmountOptions &
  ThrowsOption<Throws> & {
    /** The function to run. It must not ask the limit again. */
    fn: Fn;
    /** The arguments of `fn`. */
    args: ArgsOf<Fn>;
    /**
     * A random delay of up to this many ms is added to the reserved time.
     * @default 0
     */
    jitter?: number | undefined;
  };

/** The answer of `schedule`. `retryAfter` is when the function runs: in how many ms. */
export type ScheduleReturns<Throws extends boolean = false> = Answer<
  Throws,
  {
    ok: true;
    /** In how many ms the function runs. */
    retryAfter: number;
    /** For `cancelScheduled`. */
    scheduledId: GenericId<"_scheduled_functions">;
  },
  {
    ok: false;
    /** The ms after which the same request could be scheduled. */
    retryAfter: number;
    scheduledId?: undefined;
  }
>;

/** What an override does: one of three. */
type OverrideChange =
  | {
      /** What it lays over the limit's config. */
      config: {
        /** Tokens added per `period`. Finite, above 0. */
        rate?: number | undefined;
        /** In ms. Finite, above 0. */
        period?: number | undefined;
        /** The most tokens that accumulate. Finite, at least 0. */
        capacity?: number | undefined;
        /** The deepest debt, in tokens. Finite, at least 0. */
        maxReserved?: number | undefined;
        /** Whether it denies, or for what share of the keys, from 0 to 1. */
        enforce?: boolean | number | undefined;
      };
      deny?: undefined;
      unlimited?: undefined;
    }
  | {
      /** Bans: every request is denied. */
      deny: true;
      config?: undefined;
      unlimited?: undefined;
    }
  | {
      /** Grants every request, and consumes nothing. */
      unlimited: true;
      config?: undefined;
      deny?: undefined;
    };

/** The options of `setOverride`: what to change, for whom, and until when. */
export type SetOverrideOptions = OverrideChange & {
  /**
   * Whom it is for.
   * @default the whole limit
   */
  key?: string | undefined;
  /**
   * From when on it holds, in ms from the epoch.
   * @default at once
   */
  startsAt?: number | undefined;
  /**
   * From when on it is ignored, in ms from the epoch.
   * @default never
   */
  expiresAt?: number | undefined;
  /** For the operators; no call reads it. */
  note?: string | undefined;
};

/** The options of `penalize`. */
export type PenalizeOptions = {
  /** Who is banned. */
  key: string;
  /**
   * How long each ban in a row lasts, in ms: the first, the second, and so on. The last one
   * is repeated. At least one, each finite, above 0 and not shorter than the one before.
   */
  bans: readonly number[];
  /**
   * How long after the end of a ban the next one begins with the first again, in ms.
   * Finite, at least 0.
   */
  forgetAfter: number;
  /** For the operators; no call reads it. */
  note?: string | undefined;
};

/** No name: it tells in the compiler's errors what the config of a limit lacks. */
export type LimitWith<Field extends string> = string & {
  readonly itsConfig: Field;
};

/**
 * The names of the limits whose config has a field of these values, as far as its type
 * tells. Any name, if the constructor was given none.
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

/** Of when the figures are. */
type RangeOptions = {
  /** The begin, in ms from the epoch; the bucket that it falls into is included. */
  from: number;
  /** The end, in ms from the epoch; the bucket that ends then is the last, or that it falls into. */
  to: number;
};

/** The options of `stats`. */
export type RateLimitStatsOptions = RangeOptions & {
  /** How long each bucket is: `"minute"` for at most a day, `"hour"` for at most 30 days. */
  by: "minute" | "hour";
};

/** The figures of a limit for a minute or an hour. */
export type RateLimitStats = {
  /** When it begins, in ms from the epoch. */
  from: number;
  /** When it ends. */
  to: number;
  /** How many calls were granted, those that a dry run let through included. */
  granted: number;
  /** How many were denied, by bans, too. */
  denied: number;
  /** Of those granted, how many a dry run would have denied (see `enforce`); absent for none. */
  wouldDeny?: number;
  /** The tokens that those granted took. */
  tokens: number;
};

/** The options of `topDenied`. The buckets are hours. */
export type TopDeniedOptions = RangeOptions & {
  /**
   * How many keys. A whole number from 1 to 100.
   * @default 10
   */
  limit?: number | undefined;
};

/** A key, and how often it was denied. */
export type DeniedKey = {
  /** Of a key of more than 128 bytes in UTF-8 its beginning, and "…". */
  key: string;
  /** How many calls. */
  denied: number;
};

/** The options of `list`. */
export type RateLimitListOptions<Limits = Record<string, RefillingConfig>> = {
  /**
   * Only the keys of this limit.
   * @default all limits
   */
  name?: AnyName<keyof Limits & string> | undefined;
  /**
   * `"key"`: by name and key. `"depleted"`: the key that takes longest to be full
   * again first.
   * @default "key"
   */
  order?: "key" | "depleted" | undefined;
  /**
   * Only the keys that begin with this text. Needs a `name`, and the order by key.
   * @default all keys
   */
  prefix?: string | undefined;
  /** As `paginate` takes them: `{ numItems, cursor }`. */
  paginationOpts: PaginationOptions;
};

/** A limit and key in use, as `list` shows it. */
export type ListedKey = {
  /** The limit. */
  name: string;
  /** Absent: what all share. */
  key?: string;
  /** Tokens now, over all rows; as last stored if the config is not known. */
  balance: number;
  /** The part of `balance` in each row: one number, or more of a limit that is split. */
  shards: number[];
  /** Absent if the config is not known. */
  capacity?: number;
  /**
   * When it was last used, in ms from the epoch; for a fixed window that is not split,
   * the start of the window in which it was.
   */
  usedAt: number;
  /** Whether a request for one token would be denied now. */
  limited: boolean;
  /** The override in force, if the config says `overrides: true`. */
  override?: RateLimitOverride["override"];
};

/** A stored override, as `listOverrides` shows it. */
export type RateLimitOverride = {
  /** The limit. */
  name: string;
  /** Absent: the override is for the whole limit. */
  key?: string;
  /** What it does. */
  override:
    | {
        config: {
          rate?: number;
          period?: number;
          capacity?: number;
          maxReserved?: number;
          enforce?: boolean | number;
        };
      }
    | { deny: true }
    | { unlimited: true };
  /** From when on it holds, in ms from the epoch. Absent: at once. */
  startsAt?: number;
  /** From when on it is ignored, in ms from the epoch. Absent: never. */
  expiresAt?: number;
  /** As it was given to `setOverride`. */
  note?: string;
  /** Of a ban by `penalize`: which one in a row it is, from 1 up. */
  bans?: number;
  /** Of a ban by `penalize`: from when on the next one begins with the first again, in ms. */
  forgetAt?: number;
};

/** A denial, as `onDenied` is told of it. */
export type RateLimitDenial = {
  /** The limit that denied. */
  name: string;
  /** Who was denied; undefined for the limit that all share. */
  key: string | undefined;
  /** The tokens that were wanted. */
  count: number;
  /** The ms after which the same request could be granted. */
  retryAfter: number;
};

/** A share of a limit that is used, as `onWarning` is told of it. */
export type RateLimitWarning = {
  /** The limit. */
  name: string;
  /** Who used it; undefined for the limit that all share. */
  key: string | undefined;
  /** The highest share of `warnAt` that the grant reached. */
  share: number;
  /** The capacity. */
  limit: number;
  /** Whole tokens left: rounded down, never negative. */
  remaining: number;
};

/** The options of the constructor. */
export type RateLimiterOptions = {
  /**
   * Whether about one in a hundred calls that take from a row which another call has written
   * within the last 50 ms says so by `console.warn`, with what to do: such calls can collide.
   * It names the limit and no key. Reads and writes nothing. Also whether a limit with a
   * `period` below one second says so when the limiter is made: most often it was meant in
   * seconds.
   * @default true
   */
  advice?: boolean | undefined;
  /**
   * Called after each denial by `limit`, `limitAll`, `hold` and `schedule`, in the caller's
   * transaction, before anything is thrown. What it writes is lost if the caller's
   * mutation throws, as with `throws: true`; what it logs is not.
   */
  onDenied?:
    | ((ctx: MutationCtx, denial: RateLimitDenial) => void | Promise<void>)
    | undefined;
  /**
   * Called after each grant by which the used share of a limit with `warnAt` first reaches one
   * of its shares: by `limit`, `limitAll`, `hold`, `whileHolding`, `charge`, `schedule`, or a
   * `settle` that costs more. The next time that it is reached, as in the next window, it is
   * called again. In a mutation it is part of the caller's transaction, in an action it comes
   * after that of the grant. If it throws, so does the call. A mutation that does not catch the
   * error takes nothing. In an action `hold`, `whileHolding` and `schedule` give back what they
   * took, and `schedule` schedules nothing; what any other call took stays taken.
   *
   * The capacity is the one in force, with overrides. With asynchronous updates, calls at the
   * same time may each be the first to reach a share.
   */
  onWarning?:
    | ((ctx: MutationCtx, warning: RateLimitWarning) => void | Promise<void>)
    | undefined;
};

/** The options of `hookAPI`: whose limit the browser is shown. */
export type HookAPIOptions<DataModel extends GenericDataModel> = {
  /**
   * The key, or a function that finds it out on the server. The function is given the
   * key that the browser sent, if it sent one, and must check it.
   *
   * `null` is the limit that all share. A function that returns undefined is an error:
   * most often the user is not signed in, and must not see what all others share.
   * @default the limit that all share
   */
  key?:
    | string
    | null
    | undefined
    | ((
        ctx: GenericQueryCtx<DataModel>,
        keyFromClient?: string,
      ) => string | null | Promise<string | null>);
  /**
   * How many rows of a limit that is split are read, unless the browser sends a number.
   * @default all
   */
  sampleShards?: number | undefined;
};

/** The functions that `hookAPI` makes, to be exported from the app. */
export type HookAPIFunctions<Config extends ShownConfig = RateLimitConfig> = {
  /** The balance of the limit, for `useRateLimit`. */
  getRateLimit: RegisteredQuery<
    "public",
    GetValueArgs,
    Promise<GetValueReturns<Config>>
  >;
  /** The server's time in ms, for the hook to correct the browser's clock by. */
  getServerTime: RegisteredMutation<
    "public",
    Record<string, never>,
    Promise<number>
  >;
};
