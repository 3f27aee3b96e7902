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
  LimitConfig,
  RateLimitConfig,
  RefillingConfig,
  ShownConfig,
  WrittenConfig,
  WrittenRefilling,
} from "../core/config.js";
import type { GetValueArgs, GetValueReturns } from "../core/value.js";
import type {
  AnyName,
  Kind,
  MaybePromise,
  Named,
  NamesBut,
} from "./inference.js";

export type { ShownConfig, WrittenConfig, WrittenRefilling };

/* What the calls take and answer, in the order of the methods of `RateLimiter`. */

// The ctx of a call.

/** What a call that only reads needs: the ctx of a query, a mutation or an action. */
export type QueryCtx =
  Pick<GenericQueryCtx<GenericDataModel>, "runQuery"> | MutationCtx;

/** What a call that also writes needs: the ctx of a mutation or an action. */
export type MutationCtx =
  | Pick<GenericMutationCtx<GenericDataModel>, "runQuery" | "runMutation">
  | Pick<GenericActionCtx<GenericDataModel>, "runQuery" | "runMutation">;

/** {@link QueryCtx}, by the name under which apps import it from `@convex-dev/rate-limiter`. */
export type RunQueryCtx = QueryCtx;

/** {@link MutationCtx}, by the name under which apps import it from `@convex-dev/rate-limiter`. */
export type RunMutationCtx = MutationCtx;

/** The part of an action's ctx that a call needs. */
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

// The constructor.

/** The names of the constructor's limits; any name if it was given none. */
export type RateLimitName<Limits> = [keyof Limits] extends [never]
  ? string
  : keyof Limits & string;

/** The options of the constructor. */
export type RateLimiterOptions = {
  /**
   * Whether to log advice with `console.warn`: on a `period` below 100 ms, which was probably meant
   * in seconds; once on a negative `count`; and on calls that could conflict on a limit that does
   * not split itself. Of those that take from a row which another call wrote within the last 50 ms,
   * about one in a hundred logs what to do, with the limit's name but no key.
   * @default true
   */
  advice?: boolean | undefined;
  /**
   * Called after each denial by `limit`, `limitAll`, `hold`, `holdAll`, `whileHolding` and
   * `schedule`, before anything is thrown. In a mutation it runs in the caller's transaction: what
   * it writes is lost if the mutation throws, as with `throws: true`; what it logs is not.
   */
  onDenied?:
    | ((ctx: MutationCtx, denial: RateLimitDenial) => void | Promise<void>)
    | undefined;
  /**
   * Called instead of `onDenied` if only a dry run (see `enforce`) let a call through: for a list,
   * once for each item that would have been denied. Runs when `onWarning` does; if it throws, the
   * same happens.
   */
  onWouldDeny?:
    | ((ctx: MutationCtx, request: RateLimitWouldDeny) => void | Promise<void>)
    | undefined;
  /**
   * Called after each grant that makes a limit with `warnAt` reach one of its shares: by `limit`,
   * `limitAll`, `hold`, `holdAll`, `whileHolding`, `charge`, `schedule`, or a `settle` or
   * `settleAll` that costs more than was held. It is called again when the share is next reached,
   * for example in the next window. The shares are of the capacity in force, with overrides.
   *
   * In a mutation it runs in the caller's transaction, in an action after the transaction of the
   * grant. If it throws, so does the call. A mutation that does not catch the error takes nothing.
   * In an action `hold`, `holdAll`, `whileHolding` and `schedule` give back what they took, and
   * `schedule` schedules nothing; any other call keeps what it took.
   */
  onWarning?:
    | ((ctx: MutationCtx, warning: RateLimitWarning) => void | Promise<void>)
    | undefined;
};

/** A denial, as passed to `onDenied`. */
export type RateLimitDenial = {
  /** The limit that denied. */
  name: string;
  /** Who was denied; undefined for the shared balance. */
  key: string | undefined;
  /** The tokens that the call asked for. */
  count: number;
  /** The ms after which the same request could be granted. */
  retryAfter: number;
};

/** A request that only a dry run let through, as passed to `onWouldDeny`. */
export type RateLimitWouldDeny = Omit<RateLimitDenial, "retryAfter">;

/** A grant that reached a share of `warnAt`, as passed to `onWarning`. */
export type RateLimitWarning = {
  /** The name of the limit. */
  name: string;
  /** Who used it; undefined for the shared balance. */
  key: string | undefined;
  /** The highest share of `warnAt` that the grant reached. */
  share: number;
  /** The capacity. */
  limit: number;
  /** Whole tokens left: rounded down, never negative. */
  remaining: number;
};

// What several calls take.

/** Who a limit applies to. */
export interface KeyOption {
  /**
   * Who is limited: a user, a team, an address.
   * @default the shared balance
   */
  key?: string | undefined;
}

/** The config of one call. */
export interface ConfigOption<Config = WrittenConfig> {
  /** The config of a limit that the constructor does not name. */
  config?: Config | undefined;
}

/** Whether a denial returns or throws. */
export interface ThrowsOption {
  /**
   * Whether a denial throws a `ConvexError` with the data of {@link RateLimitError} instead of
   * returning, so that every returned answer is granted. With `reserve: true`, a debt counts as a
   * denial: what is granted need not wait. `onDenied` is called either way.
   *
   * An uncaught error rolls back its mutation, with everything it had taken, and with the count of
   * the denial for `stats`, `topDenied` and the dashboard: also if an action or another mutation
   * catches it, and in `rateLimited` in `customMutation`. The denial counts if the mutation itself
   * catches the error, if an action makes the call, and in `limitHttp` and `rateLimited` in
   * `customAction`.
   * @default false
   */
  throws?: boolean | undefined;
}

/** What the answer contains, and whether a denial throws. */
export interface AnswerOptions extends ThrowsOption {
  /**
   * Whether the answer includes `limit`, `remaining` and `resetAfter`, the numbers that
   * `rateLimitHeaders` needs. Reads all rows of a split limit, in a mutation without a read
   * dependency.
   * @default false
   */
  details?: boolean | undefined;
}

// What several calls answer.

/** `Yes` if an option is known to be true, else nothing. */
type If<Option extends boolean, Yes> = Option extends true ? Yes : unknown;

/** A denial, which is no answer of a call that throws it. */
type Unless<Throws extends boolean, Denial> = [Throws] extends [true]
  ? never
  : Denial;

/** What every granted answer may say. */
type Granted = {
  ok: true;
  /** Only in a dry run (see `enforce`), if the request would have been denied. */
  wouldDeny?: true | undefined;
};

/** What every denial says. */
type Denied = {
  ok: false;
  /** The ms after which the same request succeeds, if nobody else takes or holds tokens. */
  retryAfter: number;
};

type RequestDenied = Denied & { wouldDeny?: undefined };

/** Which limit of a list denied. */
export type Blocked = {
  /** The first limit that refuses. */
  blockedBy: { index: number; name: string };
};

/** The state of a limit after a call, for HTTP headers. */
export interface RateLimitDetails {
  /** The capacity. */
  limit: number;
  /** Whole tokens left: rounded down, never negative. */
  remaining: number;
  /** ms until the limit is full. */
  resetAfter: number;
}

/** The numbers of a list. */
type DetailsOfList = RateLimitDetails & {
  /** The state of each limit, in the order of the list: for `rateLimitHeaders`. */
  each: RateLimitDetails[];
};

/** A page of a list. A page may hold fewer entries than asked for; continue until `isDone`. */
export type Page<Entry> = {
  page: Entry[];
  isDone: boolean;
  continueCursor: string;
};

// `limit`, `check`.

/** The options of `limit`. */
export interface LimitOptions extends ItemOptions, AnswerOptions {
  /**
   * Whether fewer tokens will do. Takes as many whole tokens as there are, at most `count` and at
   * least 1, and returns how many in `taken`. `count` may then be above the capacity. Cannot be
   * combined with `reserve`. Reads all rows of a split limit, unless the first ones have all of
   * `count`.
   * @default false
   */
  upTo?: boolean | undefined;
}

/** The options of `check`: those of `limit`, with a config of any kind. */
export interface CheckOptions
  extends Omit<LimitOptions, "config">, ConfigOption {}

/** The options of `limit` and `check`, with the name and the config. */
export interface RateLimitArgs extends Omit<LimitOptions, "config"> {
  /** The limit's name. */
  name: string;
  /** The config of a limit that the constructor does not name. */
  config: RefillingConfig;
}

/**
 * The answer of `limit` and `check`: `RateLimitReturns<true>` with `details: true`,
 * `RateLimitReturns<false, true>` with `upTo: true`, and `RateLimitReturns<false, false, true>`
 * with `throws: true`. If denied, nothing was taken.
 */
export type RateLimitReturns<
  Details extends boolean = false,
  UpTo extends boolean = false,
  Throws extends boolean = false,
> =
  | (Granted & Taken & If<UpTo, TakenUpTo> & If<Details, RateLimitDetails>)
  | Unless<Throws, RequestDenied & If<Details, RateLimitDetails>>;

type Taken = {
  /** Only if tokens were reserved: run the work after this many ms, without asking again. */
  retryAfter?: number | undefined;
};

type TakenUpTo = {
  /**
   * How many whole tokens the caller may use. If the key is unlimited or the limit is a dry run,
   * nothing is held back: `taken` is then all of `count`, whatever was really taken.
   */
  taken: number;
};

// `limitAll`, `checkAll`.

/** One request of `limitAll` or `checkAll`, without its name. */
export interface ItemOptions extends KeyOption, ConfigOption<WrittenRefilling> {
  /**
   * The tokens wanted. Finite; fractions are legal. A negative count gives tokens back, up to the
   * capacity, unless the limit stays in debt; `credit` is made for that.
   * @default 1
   */
  count?: number | undefined;
  /**
   * Whether the request may take tokens that do not exist yet. `ok: true` may then come with a
   * `retryAfter`; `schedule` runs the work after it. If the limit is split, a debt reads all of its
   * rows, and one row replaces them. While calls overlap, one row takes it: then the wait is
   * longer, by up to twice the time in which the limit fills.
   * @default false
   */
  reserve?: boolean | undefined;
  /**
   * How many tokens of the whole limit must remain afterwards for others: for example, a floor for
   * each priority. Finite, at least 0. If it is above 0, the request makes no debt, even with
   * `reserve`, and reads all rows of a split limit.
   * @default 0
   */
  leave?: number | undefined;
}

/** One request in the list of `limitAll` or `checkAll`, for lists that are made before the call. */
export type LimitAllItem<
  Limits extends Record<string, { kind: Kind }> = Record<
    string,
    RefillingConfig
  >,
> = NamedItem<Limits, ItemOptions, "concurrency">;

/**
 * The answer of `limitAll` and `checkAll`. `retryAfter` is the ms until all of the limits would
 * grant, as known now. With `details: true`, `remaining` is the lowest of all.
 */
export type LimitAllReturns<
  Details extends boolean = false,
  Throws extends boolean = false,
> =
  | (Granted & Taken & If<Details, DetailsOfList>)
  | Unless<Throws, RequestDenied & Blocked & If<Details, DetailsOfList>>;

/** An item of a list for each of the limits, and one that brings its own config. */
type NamedItem<
  Limits extends Record<string, { kind: Kind }>,
  Options extends KeyOption & ConfigOption<WrittenConfig>,
  Refused = never,
> =
  | {
      [Name in NamesBut<Limits, Refused>]: Options &
        Named<Name> &
        KeyIfRequired<Limits[Name]>;
    }[NamesBut<Limits, Refused>]
  | (Options & Named<string> & Required<Pick<Options, "config">>);

type KeyIfRequired<Config> = Config extends { requireKey: true }
  ? { key: string }
  : unknown;

// `getValue`, `credit`, `charge`, `reset`, `resetAll`.

/** The options of `getValue`. */
export interface GetValueOptions extends KeyOption, ConfigOption {
  /**
   * How many random rows of a split limit to read; their sum is scaled up. A limit that splits
   * itself reads fewer if a row is drawn twice. Fewer rows mean fewer conflicts.
   * @default all
   */
  sampleShards?: number | undefined;
}

/** The options of `charge`. */
export interface ChargeOptions
  extends KeyOption, ConfigOption<WrittenRefilling> {
  /**
   * How many tokens. Finite, above 0.
   * @default 1
   */
  count?: number | undefined;
}

/** The answer of `charge`. */
export type ChargeReturns = {
  /** The ms until the debt is repaid; absent without one. */
  retryAfter?: number | undefined;
  /** The tokens that were not taken, because of `maxDebt`; absent if all were. */
  forgiven?: number | undefined;
};

/** The options of `credit`: how many tokens, or the config that applied before. */
export interface CreditOptions extends ChargeOptions {
  /**
   * The config that the key had until now, for example under another plan. Gives as many tokens as
   * the capacity has grown by, and none if it has not grown: a smaller capacity cuts the balance
   * off by itself. Overrides apply to this config too if it has `overrides: true`. Cannot be
   * combined with `count`.
   * @default `count` says how many
   */
  from?: RefillingConfig | undefined;
}

/** The options of `reset`. */
export interface ResetOptions extends KeyOption, ConfigOption {}

/** The answer of `resetAll`. */
export type ResetAllReturns = {
  /**
   * Whether all keys are full. If not, a job resets the rest, and `isResetting` tells when it has
   * ended.
   */
  isDone: boolean;
};

// `hold`, `settle`, `whileHolding`.

/** The options of `hold` and `whileHolding`. */
export interface HoldOptions extends HoldItemOptions, ThrowsOption {}

/** What a hold requests. */
export interface HoldItemOptions extends KeyOption, ConfigOption {
  /**
   * The tokens to hold. Finite, at least 0; fractions are legal.
   * @default 1
   */
  count?: number | undefined;
  /**
   * How many tokens of the whole limit must remain for others afterwards. Finite, at least 0.
   * Applies only when the hold is taken: a `settle` above the `count` may use them. Above 0, it
   * reads all rows of a split limit.
   * @default 0
   */
  leave?: number | undefined;
  /**
   * For how long the hold can be settled, in ms. Finite, above 0. After that its tokens stay taken.
   * A concurrency limit has its lease instead, and refuses this option.
   * @default a day
   */
  expiresAfter?: number | undefined;
  /**
   * Your own id for the work, so that a retry does not hold twice. Until the first hold with it
   * expires or is released, another call for this limit and key takes nothing and takes over the
   * hold: the ids of earlier calls no longer end it. That includes a hold that was settled above 0,
   * which cannot be settled again. It renews a lease. Another `count` is an error that names both.
   * Not empty, at most 1,024 bytes in UTF-8. Choose it on the server, since whoever repeats an id
   * pays once. Reads one more row.
   * @default every call holds
   */
  once?: string | undefined;
}

/**
 * The answer of `hold`. For a concurrency limit, `retryAfter` is an estimate: others may release
 * early or renew.
 */
export type HoldReturns<
  Id extends string = string,
  Throws extends boolean = false,
> =
  | (Granted & {
      /** Pass it to `settle`, `release` or `renew`. */
      id: Id;
      retryAfter?: undefined;
    })
  | Unless<Throws, Denied & { id?: undefined }>;

/** The id of a hold that can be settled. */
export type HoldId = string & { readonly isLease?: false };

/** The id of a hold of a concurrency limit. It can be released but not settled. */
export type LeaseId = string & { readonly isLease?: true };

/** The options of `settle`. */
export interface SettleOptions {
  /** The tokens that were really used. Finite, at least 0; fractions are legal. */
  count: number;
}

/** The answer of `whileHolding`: what the work returned, or when to try again. */
export type WhileHoldingReturns<Result, Throws extends boolean = false> =
  | { ok: true; result: Result; retryAfter?: undefined }
  | Unless<Throws, Denied & { result?: undefined }>;

// `holdAll`, `settleAll`, `whileHoldingAll`.

/** One request in the list of `holdAll` or `whileHoldingAll`, for lists that are made before. */
export type HoldAllItem<
  Limits extends Record<string, { kind: Kind }> = Record<string, LimitConfig>,
> = NamedItem<Limits, HoldItemOptions>;

/** The options of `holdAll` and `whileHoldingAll`. */
export interface HoldAllOptions extends ThrowsOption {
  /**
   * How long a hold can be settled, in ms, if its item has no `expiresAfter` of its own. Finite,
   * above 0. Does not apply to leases.
   * @default a day
   */
  expiresAfter?: number | undefined;
}

/** The answer of `holdAll`. `retryAfter` is as for `limitAll` and `hold`. */
export type HoldAllReturns<
  Ids extends readonly string[] = string[],
  Throws extends boolean = false,
> =
  | (Granted & {
      /** The ids in the order of the list. Pass them to `settleAll`, `release` or `renew`. */
      ids: Ids;
      retryAfter?: undefined;
    })
  | Unless<Throws, Denied & Blocked & { ids?: undefined }>;

/** One hold in the list of `settleAll`. A lease takes no `count`. */
export type SettleAllItem =
  | {
      /** The id that `hold` or `holdAll` returned. */
      id: HoldId;
      /**
       * The tokens that were really used. Finite, at least 0; fractions are legal.
       * @default none: the hold is released
       */
      count?: number | undefined;
    }
  | { id: string; count?: undefined };

/** The answer of `whileHoldingAll`: also which limit denied. */
export type WhileHoldingAllReturns<Result, Throws extends boolean = false> =
  | { ok: true; result: Result; retryAfter?: undefined }
  | Unless<Throws, Denied & Blocked & { result?: undefined }>;

// `schedule`.

/** The options of `schedule`. */
export interface ScheduleOptions<Fn extends Schedulable>
  extends ChargeOptions, ThrowsOption {
  /** The function to run. It must not ask the limit again. */
  fn: Fn;
  /** The arguments of `fn`. */
  args: ArgsOf<Fn>;
  /**
   * A random delay of up to this many ms, added to the reserved time. Finite, at least 0.
   * @default 0
   */
  jitter?: number | undefined;
}

/**
 * What `ctx.scheduler` can run: a `FunctionReference` or a `FunctionReference_future`. The latter
 * is described by its shape, since Convex before 1.46 does not have it.
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

/** The answer of `schedule`. */
export type ScheduleReturns<Throws extends boolean = false> =
  | {
      ok: true;
      /** The ms until the function runs. */
      retryAfter: number;
      /** Pass it to `cancelScheduled`. */
      scheduledId: GenericId<"_scheduled_functions">;
    }
  | Unless<Throws, Denied & { scheduledId?: undefined }>;

// `setOverride`, `listOverrides`, `penalize`.

/** The options of `setOverride`: what to change, for whom, from when and until when. */
export type SetOverrideOptions = OverrideChange & {
  /**
   * Who the override is for.
   * @default the whole limit
   */
  key?: string | undefined;
  /**
   * When the override begins, in ms since the epoch; until then the one that it replaces applies.
   * @default at once
   */
  startsAt?: number | undefined;
  /**
   * When the override ends, in ms since the epoch.
   * @default never
   */
  expiresAt?: number | undefined;
  /** A note for operators; no call reads it. */
  note?: string | undefined;
  /**
   * Your own id for the change, so that a retry sets nothing: while the override that was set with
   * it is stored, another call with it that would replace it changes nothing, and credits nothing.
   * Not empty, at most 1,024 bytes in UTF-8.
   * @default every call sets an override
   */
  once?: string | undefined;
  /**
   * Whether to give the key what its capacity grows by, in the same transaction. Needs a `key` and
   * a `config` that begins at once, and a limit that the constructor names and that refills. Gives
   * nothing while the config of another override lies over this one.
   * @default false
   */
  credit?: boolean | undefined;
};

/** What an override does: exactly one of the three. */
type OverrideChange =
  | {
      /** The fields that it replaces in the limit's config. */
      config: {
        /** Tokens added per `period`. Finite, above 0. */
        rate?: number | undefined;
        /** In ms. Finite, above 0. */
        period?: number | undefined;
        /** The most tokens that accumulate. Finite, at least 0. */
        capacity?: number | undefined;
        /** The deepest debt by reservations, in tokens. Finite, at least 0. */
        maxReserved?: number | undefined;
        /** The deepest debt by charges, in tokens. Finite, at least 0. */
        maxDebt?: number | undefined;
        /** Whether denials are enforced, or for what share of the keys, from 0 to 1. */
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
      /** Grants every request, and takes nothing. */
      unlimited: true;
      config?: undefined;
      deny?: undefined;
    };

/** The answer of `setOverride`: with `credit: true`, how many tokens the key was given. */
export type SetOverrideReturns<Credit extends boolean = boolean> =
  Credit extends true ? { credited: number } : void;

/** The options of `listOverrides`. */
export type ListOverridesOptions<Names extends string = string> = {
  /**
   * Only the overrides of this limit.
   * @default all limits
   */
  name?: AnyName<Names> | undefined;
  /**
   * Only the overrides of this key; null: only those of the whole limit. Needs a `name`.
   * @default all keys, and the whole limit
   */
  key?: string | null | undefined;
  /** Which page, as `paginate` takes it: `{ numItems, cursor }`. */
  paginationOpts: PaginationOptions;
};

/** A stored override, as `listOverrides` shows it. */
export type RateLimitOverride = {
  /** The name of the limit. */
  name: string;
  /** The key. Absent if the override is for the whole limit. */
  key?: string | undefined;
  /** What it does. */
  override:
    | { config: NonNullable<OverrideChange["config"]> }
    | { deny: true }
    | { unlimited: true };
  /** When it begins, in ms since the epoch. Absent: it began at once. */
  startsAt?: number | undefined;
  /** When it ends, in ms since the epoch. Absent: never. */
  expiresAt?: number | undefined;
  /** The note that was given to `setOverride` or `penalize`. */
  note?: string | undefined;
  /** Only for a ban by `penalize`: which consecutive ban it is, from 1. */
  bans?: number | undefined;
  /**
   * Only for a ban by `penalize`: when the next ban starts over with the first entry, in ms from
   * the epoch.
   */
  forgetAt?: number | undefined;
};

/** The options of `penalize`. */
export type PenalizeOptions = {
  /** Who is banned. */
  key: string;
  /**
   * How long each consecutive ban lasts, in ms: the first, the second, and so on. The last entry
   * repeats. At least one entry, each finite, above 0 and no shorter than the one before.
   */
  bans: readonly number[];
  /**
   * How long after the end of a ban the next one starts over with the first entry, in ms. Finite,
   * at least 0.
   */
  forgetAfter: number;
  /** A note for operators; no call reads it. */
  note?: string | undefined;
  /**
   * Your own id for the ban, so that a retry bans no longer: while it is the key's latest ban,
   * another call with its id changes nothing, and returns the ms until it ends. Not empty, at most
   * 1,024 bytes in UTF-8.
   * @default every call bans
   */
  once?: string | undefined;
};

// `list`.

/** The options of `list`. */
export type RateLimitListOptions<Names extends string = string> = {
  /**
   * Only the keys of this limit.
   * @default all limits
   */
  name?: AnyName<Names> | undefined;
  /**
   * `"key"`: by name and key. `"depleted"`: first the key that takes longest to be full again.
   * @default "key"
   */
  order?: "key" | "depleted" | undefined;
  /**
   * Only the keys that begin with this text. Needs a `name`, and cannot be combined with
   * `order: "depleted"`.
   * @default all keys
   */
  prefix?: string | undefined;
  /** Which page, as `paginate` takes it: `{ numItems, cursor }`. */
  paginationOpts: PaginationOptions;
};

/** A limit and key in use, as `list` shows it. */
export type ListedKey = {
  /** The name of the limit. */
  name: string;
  /** The key. Absent for the shared balance. */
  key?: string | undefined;
  /** The current tokens over all rows; as last stored if the config is not known. */
  balance: number;
  /** The part of `balance` in each row: one number, or several if the limit is split now. */
  shards: number[];
  /** The capacity. Absent if the config is not known. */
  capacity?: number | undefined;
  /**
   * When it was last used, in ms since the epoch. For a fixed window that `@convex-dev/rate-limiter`
   * wrote, the start of the window in which it was last used.
   */
  usedAt: number;
  /** Whether a request for one token would be denied now. */
  limited: boolean;
  /** The override in force, if the config has `overrides: true`. */
  override?: RateLimitOverride["override"] | undefined;
};

// `stats`, `topDenied`.

/** The time range of the stats. */
type RangeOptions = {
  /**
   * When the range begins, in ms since the epoch. The interval that contains this time is included.
   */
  from: number;
  /**
   * When the range ends, in ms since the epoch. The last interval contains this time or ends at it.
   * If the range ends now, an interval that begins now is included.
   */
  to: number;
};

/** The options of `stats`. */
export type RateLimitStatsOptions = RangeOptions & {
  /** The length of each interval: `"minute"` for at most a day, `"hour"` for at most 30 days. */
  by: "minute" | "hour";
};

/** The stats of a limit for one minute or hour. */
export type RateLimitStats = {
  /** When the interval begins, in ms since the epoch. */
  from: number;
  /** When the interval ends, in ms since the epoch. */
  to: number;
  /** How many calls were granted, including those that a dry run let through. */
  granted: number;
  /** How many calls were denied, including by bans. */
  denied: number;
  /** How many of the granted calls only a dry run let through (see `enforce`); absent if none. */
  wouldDeny?: number | undefined;
  /** How many tokens the granted calls took. */
  tokens: number;
  /**
   * How many of the granted calls found a row that another one had written within the last 50 ms,
   * so the two could have conflicted; absent if none. Always absent for limits that split
   * themselves, and for concurrency limits, which are not watched.
   */
  closeCalls?: number | undefined;
};

/** The options of `topDenied`. Its intervals are hours. */
export type TopDeniedOptions = RangeOptions & {
  /**
   * How many keys to return. A whole number from 1 to 100.
   * @default 10
   */
  numKeys?: number | undefined;
  /**
   * Whether to return the keys that a dry run (see `enforce`) would have denied most, instead of
   * those that were denied. No number counts both.
   * @default false
   */
  wouldDeny?: boolean | undefined;
};

/** A key and how often it was denied. */
export type DeniedKey = {
  /** The key. If it has more than 128 bytes in UTF-8, its beginning and "…". */
  key: string;
  /** How many of its calls were denied; with `wouldDeny`, would have been. */
  denied: number;
};

// `forget`.

/** The options of `forget`. */
export type ForgetOptions = {
  /**
   * Whether to forget bans, too: those in force, those to come, and those of `penalize` that make
   * the next one longer.
   * @default false
   */
  bans?: boolean | undefined;
};

/** The answer of `forget`. */
export type ForgetReturns = {
  /** Whether everything is deleted. If not, a job does it; `isForgetting` tells when it is done. */
  isDone: boolean;
  /** The bans of the key that stay, in all limits. */
  bans: RateLimitOverride[];
};

// `hookAPI`.

/** The options of `hookAPI`: which limit and key the browser sees. */
export type HookAPIOptions<
  DataModel extends GenericDataModel,
  Key extends string | null = string | null,
  OfKind extends Kind = Kind,
> = {
  /**
   * The key, or a function that resolves it on the server. If the browser sent a key, the function
   * gets it and must check it. `null` selects the shared balance. It is an error if the function
   * returns undefined: most often the user is not signed in, and must not see the shared balance.
   * @default the shared balance
   */
  key?:
    | Key
    | undefined
    | ((
        ctx: GenericQueryCtx<DataModel>,
        keyFromClient?: string,
      ) => MaybePromise<Key>);
  /**
   * How many rows of a split limit to read, unless the browser sends a number.
   * @default all
   */
  sampleShards?: number | undefined;
  /**
   * The config, or a function that finds it on the server, such as by plan:
   * `config: async (ctx, key) => plans[await planOf(ctx, key)]`.
   */
  config?:
    | (WrittenConfig & InferredKind<OfKind>)
    | undefined
    | ConfigFunction<
        GenericQueryCtx<DataModel>,
        Key,
        WrittenConfig & { kind: OfKind }
      >;
};

/** Infers the kind of a config, and accepts everything: see `InferredFields`. */
type InferredKind<OfKind extends Kind> = [OfKind] extends [Kind]
  ? unknown
  : { kind: OfKind };

/**
 * Returns the config of a limit that the constructor does not name, for example that of the user's
 * plan. It is called on the server in each call, after `key`, with the key that was found. If it
 * returns undefined, the named limit's config applies.
 *
 * @typeParam Args What it gets after the ctx and the key.
 */
export type ConfigFunction<
  Ctx,
  Key extends string | null,
  Config,
  Args extends unknown[] = [],
> = (
  ctx: Ctx,
  key: Exclude<Key, null> | (null extends Key ? undefined : never),
  ...args: Args
) => MaybePromise<Config | undefined>;

/** The functions that `hookAPI` makes, to be exported from the app. */
export type HookAPIFunctions<Config extends ShownConfig = RateLimitConfig> = {
  /** The balance of the limit, for `useRateLimit`. */
  getRateLimit: RegisteredQuery<
    "public",
    GetValueArgs,
    Promise<GetValueReturns<Config>>
  >;
  /** The server's time in ms, with which the hook corrects the browser's clock. */
  getServerTime: RegisteredMutation<
    "public",
    Record<string, never>,
    Promise<number>
  >;
};
