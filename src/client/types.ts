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
  ShownConfig,
  RefillingConfig,
} from "../core/config.js";
import type { GetValueArgs, GetValueReturns } from "../core/value.js";
import type {
  AnyName,
  ItemFields,
  Kind,
  Kinds,
  MaybePromise,
  RefillingName,
  RequiredKey,
} from "./inference.js";

export type { ShownConfig };

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

/** The names of the constructor's limits; any name if it was given none. */
export type RateLimitName<Limits> = [keyof Limits] extends [never]
  ? string
  : keyof Limits & string;

/** Who a limit applies to. */
export type KeyOption = {
  /**
   * Who is limited: a user, a team, an address.
   * @default the shared balance
   */
  key?: string | undefined;
};

/** What a call requests from a limit. */
export type RequestOptions = KeyOption & {
  /**
   * The tokens wanted. Finite; fractions are legal. A negative count gives tokens back, up to the
   * capacity, unless the limit stays in debt, and logs advice once: `credit` is made for that.
   * @default 1
   */
  count?: number | undefined;
  /**
   * Whether the request may take tokens that do not exist yet. `ok: true` may then come with a
   * `retryAfter`: run the work after that many ms, without asking again. `schedule` does both. With
   * `throws`, a request that would have to wait throws instead. If the limit is split, a debt reads
   * all of its rows, and one row replaces them. While calls overlap, one row takes it: then the
   * wait is longer, by about the time in which the limit fills at most.
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
};

/** What a call can request from a single limit. */
export type UpToOption<UpTo extends boolean> = {
  /**
   * Whether fewer tokens will do. Takes as many whole tokens as there are, at most `count` and at
   * least 1, and returns how many in `taken`. `count` may then be above the capacity. Cannot be
   * combined with `reserve`. Reads all rows of a split limit, unless the first ones have all of
   * `count`.
   * @default false
   */
  upTo?: UpTo | undefined;
  reserve?: (UpTo extends true ? false : boolean) | undefined;
};

/** Whether a denial returns or throws. */
export type ThrowsOption<Throws extends boolean = boolean> = {
  /**
   * Whether a denial throws a `ConvexError` with the data of {@link RateLimitError} instead of
   * returning, so that every returned answer is granted. With `reserve`, a debt counts as a denial:
   * what is granted need not wait. An uncaught error rolls back the caller's
   * mutation, with everything it had taken, and with the count of the denial for `stats`,
   * `topDenied` and the dashboard. `onDenied` is called either way.
   *
   * Counted:
   *
   * - in an action or HTTP action that itself calls `limit`, `limitAll`, `hold`, `holdAll` or
   *   `whileHolding`
   * - in a mutation that catches the error itself
   * - by `rateLimited` in `customAction`; by `limitHttp`
   *
   * Not counted:
   *
   * - in an action that calls a mutation which throws
   * - in a mutation that catches the error of a nested mutation
   * - by `rateLimited` in `customMutation`, which always throws
   * @default false
   */
  throws?: Throws | undefined;
};

/** What the answer contains, and whether a denial throws. */
export type AnswerOptions<
  Details extends boolean,
  Throws extends boolean = boolean,
> = ThrowsOption<Throws> & {
  /**
   * Whether the answer includes `limit`, `remaining` and `resetAfter`, the numbers that
   * `rateLimitHeaders` needs. Reads all rows of a split limit, in a mutation without a read
   * dependency.
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

type TakenIf<UpTo extends boolean> = UpTo extends true
  ? {
      /**
       * How many whole tokens the caller may use. If the key is unlimited or the limit is a dry
       * run, nothing is held back: `taken` is then all of `count`, whatever was really taken.
       */
      taken: number;
    }
  : unknown;

/** An answer. If denials throw, only the granted one. */
type Answer<Throws extends boolean, Yes, No> = [Throws] extends [true]
  ? Yes
  : Yes | No;

/** A granted answer. */
type Granted = {
  ok: true;
  /** Only if tokens were reserved: run the work after this many ms. */
  retryAfter?: number | undefined;
  /** Only in a dry run (see `enforce`), if the request would have been denied. */
  wouldDeny?: true | undefined;
};

/** A denied answer. */
type Denied = {
  ok: false;
  /** The ms after which the same request succeeds, if nobody else takes tokens. */
  retryAfter: number;
  wouldDeny?: undefined;
};

/**
 * The answer of `limit` and `check`: `RateLimitReturns<true>` with `details: true`,
 * `RateLimitReturns<false, true>` with `upTo: true`, and `RateLimitReturns<false, false, true>`
 * with `throws: true`.
 *
 * - `ok: true`: granted. If there is a `retryAfter`, the tokens are reserved: run the work after
 *   that many ms, without asking again.
 * - `ok: false`: denied; nothing was taken. The same request succeeds in `retryAfter` ms if nobody
 *   else takes tokens.
 *
 * `wouldDeny` appears only in a dry run (see `enforce`) that would have denied.
 */
export type RateLimitReturns<
  Details extends boolean = false,
  UpTo extends boolean = false,
  Throws extends boolean = false,
> = Answer<Throws, Granted & TakenIf<UpTo>, Denied> &
  (Details extends true ? RateLimitDetails : unknown);

/**
 * The answer of `limitAll` and `checkAll`. `blockedBy` is the first limit that refuses.
 * `retryAfter` is the ms until all of them would grant, as known now. With `details: true`,
 * `remaining` is the lowest of all.
 */
export type LimitAllReturns<
  Details extends boolean = false,
  Throws extends boolean = false,
> = Answer<Throws, Granted, Denied & Blocked> &
  (Details extends true
    ? RateLimitDetails & {
        /** The state of each limit, in the order of the list: for `rateLimitHeaders`. */
        each: RateLimitDetails[];
      }
    : unknown);

/** Which limit of a list denied. */
export type Blocked = {
  /** The first limit that refuses. */
  blockedBy: { index: number; name: string };
};

/** One request in the list of `limitAll` or `checkAll`. */
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

/** The options of `getValue`. */
export type GetValueOptions = KeyOption & {
  /**
   * How many random rows of a split limit to read; their sum is scaled up. A limit that splits
   * itself reads fewer if a row is drawn twice. Fewer rows mean fewer conflicts.
   * @default all
   */
  sampleShards?: number | undefined;
};

/** The options of `credit`: how many tokens, or the config that applied before. */
export type CreditOptions =
  | (AmountOptions & { from?: undefined })
  | (KeyOption & {
      /**
       * The config that the key had until now, for example under another plan. Gives as many tokens
       * as the capacity has grown by, and none if it has not grown. Overrides apply to this config
       * too if it has `overrides: true`.
       */
      from: RefillingConfig;
      count?: undefined;
    });

/** The options of `charge`. */
export type AmountOptions = KeyOption & {
  /**
   * How many tokens. Finite, above 0.
   * @default 1
   */
  count?: number | undefined;
};

/** What a hold requests, by the kind of the limit. */
export type HoldItemOptions<OfKind extends Kind> = KeyOption & {
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
  expiresAfter?:
    ([OfKind] extends ["concurrency"] ? never : number) | undefined;
  /**
   * Your own id for the work, so that a retry does not hold twice. Until the first hold with it
   * expires or is released, another call for this limit and key takes nothing and returns the same
   * hold's id; it renews a lease. That includes a hold that was settled above 0, which cannot be
   * settled again. Not empty, at most 1,024 bytes in UTF-8. Choose it on the server, since whoever
   * repeats an id pays once. Reads one more row.
   * @default every call holds
   */
  once?: string | undefined;
};

/** The options of `hold` and `whileHolding`, by the kind of the limit. */
export type HoldOptions<
  Throws extends boolean = boolean,
  OfKind extends Kind = Exclude<Kind, "concurrency">,
> = HoldItemOptions<OfKind> & ThrowsOption<Throws>;

/** The options of `holdAll`, and of `whileHolding` with a list. */
export type HoldAllOptions<Throws extends boolean = boolean> =
  ThrowsOption<Throws> & {
    /**
     * How long a hold can be settled, in ms, if its item has no `expiresAfter` of its own. Finite,
     * above 0. Does not apply to leases.
     * @default a day
     */
    expiresAfter?: number | undefined;
  };

/** One request in the list of `holdAll`. */
export type HoldAllItem<Limits extends Kinds = Record<string, LimitConfig>> =
  | {
      [Name in keyof Limits & string]: HoldItemOptions<Limits[Name]["kind"]> &
        ItemFields<Name, LimitConfig> &
        RequiredKey<Limits, Name, undefined>;
    }[keyof Limits & string]
  | (HoldItemOptions<Kind> & ItemFields<string> & { config: LimitConfig });

/** The options of `settle`. */
export type SettleOptions = {
  /** The tokens that were really used. Finite, at least 0; fractions are legal. */
  count: number;
};

/** One hold in the list of `settleAll`. */
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

/** The id of a hold of a concurrency limit. It can be released but not settled. */
export type LeaseId = string & { readonly isLease?: true };

/** The id of a hold that can be settled. */
export type HoldId = string & { readonly isLease?: false };

/** The id of a hold, by the kind of its limit: any string if the kind is not known. */
export type IdOf<OfKind extends Kind> = [OfKind] extends ["concurrency"]
  ? LeaseId
  : [OfKind] extends [RefillingConfig["kind"]]
    ? HoldId
    : string;

/** The answer of `hold`. */
export type HoldReturns<
  Id extends string = string,
  Throws extends boolean = false,
> = Answer<
  Throws,
  {
    ok: true;
    /** Pass it to `settle`, `release` or `renew`. */
    id: Id;
    /** Only in a dry run (see `enforce`), if the request would have been denied. */
    wouldDeny?: true | undefined;
  },
  {
    ok: false;
    /** The ms after which the same request succeeds, if nobody else takes or holds tokens. */
    retryAfter: number;
    id?: undefined;
  }
>;

/** The answer of `holdAll`. `blockedBy` and `retryAfter` are as for `limitAll`. */
export type HoldAllReturns<
  Ids extends readonly string[] = string[],
  Throws extends boolean = false,
> = Answer<
  Throws,
  {
    ok: true;
    /** The ids in the order of the list. Pass them to `settleAll`, `release` or `renew`. */
    ids: Ids;
    /** Only in a dry run (see `enforce`), if the request would have been denied. */
    wouldDeny?: true | undefined;
  },
  {
    ok: false;
    /** The ms after which all would be held, if nobody else takes or holds tokens. */
    retryAfter: number;
    ids?: undefined;
  } & Blocked
>;

/**
 * The answer of `whileHolding`: what the work returned, or when to try again, in ms. `More` is what
 * else a denial holds: for a list, which limit refuses.
 */
export type WhileHoldingReturns<
  Result,
  Throws extends boolean = false,
  More = unknown,
> = Answer<
  Throws,
  { ok: true; result: Result },
  { ok: false; retryAfter: number } & More
>;

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
     * A random delay of up to this many ms, added to the reserved time.
     * @default 0
     */
    jitter?: number | undefined;
  };

/** The answer of `schedule`. */
export type ScheduleReturns<Throws extends boolean = false> = Answer<
  Throws,
  {
    ok: true;
    /** The ms until the function runs. */
    retryAfter: number;
    /** Pass it to `cancelScheduled`. */
    scheduledId: GenericId<"_scheduled_functions">;
  },
  {
    ok: false;
    /** The ms after which the same request could be scheduled. */
    retryAfter: number;
    scheduledId?: undefined;
  }
>;

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
        /** The deepest debt, in tokens. Finite, at least 0. */
        maxReserved?: number | undefined;
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

/** The options of `setOverride`: what to change, for whom, from when and until when. */
export type SetOverrideOptions<Credit extends boolean = boolean> =
  OverrideChange & {
    /**
     * Who the override is for.
     * @default the whole limit
     */
    key?: string | undefined;
    /**
     * When the override begins, in ms since the epoch.
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
     * Your own id for the change, so that a retry sets nothing: while the override that was set
     * with it is stored, another call with it that would replace it changes nothing, and credits
     * nothing. Not empty, at most 1,024 bytes in UTF-8.
     * @default every call sets an override
     */
    once?: string | undefined;
    /**
     * Whether to give the key what its capacity grows by. Needs a `key` and a `config` that begins
     * at once, and a limit that the constructor names and that refills.
     * Gives nothing while the config of another override lies over this one.
     * @default false
     */
    credit?: Credit | undefined;
  } & ([Credit] extends [true]
      ? { key: string; config: object; startsAt?: undefined }
      : unknown);

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
  /**
   * Whether everything is deleted. If not, a job deletes the rest, and `isForgetting` tells when it
   * has ended.
   */
  isDone: boolean;
  /** The bans of the key that stay, in all limits. */
  bans: RateLimitOverride[];
};

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
  limit?: number | undefined;
  /**
   * Whether to return the keys that a dry run (see `enforce`) would have denied most, instead of
   * those that were denied.
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

/** The options of `list`. */
export type RateLimitListOptions<Limits = Record<string, RefillingConfig>> = {
  /**
   * Only the keys of this limit.
   * @default all limits
   */
  name?: AnyName<keyof Limits & string> | undefined;
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

/** The options of the constructor. */
export type RateLimiterOptions = {
  /**
   * Whether to log advice with `console.warn`. Reads and writes nothing. It advises on:
   *
   * - calls that could conflict on a limit that does not split itself. Of the calls that take from
   *   a row which another call wrote within the last 50 ms, about one in a hundred logs what to do,
   *   with the limit's name but no key.
   * - a negative `count`, once: `credit` is made for that.
   * - a `period` below 100 ms, when the limiter is constructed: it was probably meant in seconds.
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
   * Called after each call listed for `onDenied` that only a dry run (see `enforce`) let through:
   * for a list, once for each item that would have been denied. `onDenied` is not called then,
   * since nobody was denied.
   *
   * In a mutation it runs in the caller's transaction, in an action after the transaction of the
   * grant. If it throws, so does the call, as with `onWarning`.
   */
  onWouldDeny?:
    | ((ctx: MutationCtx, spared: RateLimitWouldDeny) => void | Promise<void>)
    | undefined;
  /**
   * Called after each grant that makes a limit with `warnAt` reach one of its shares: by `limit`,
   * `limitAll`, `hold`, `holdAll`, `whileHolding`, `charge`, `schedule`, or a `settle` or
   * `settleAll` that costs more than was held. It is called again when the share is next reached,
   * for example in the next window.
   *
   * In a mutation it runs in the caller's transaction, in an action after the transaction of the
   * grant. If it throws, so does the call. A mutation that does not catch the error takes nothing.
   * In an action `hold`, `holdAll`, `whileHolding` and `schedule` give back what they took, and
   * `schedule` schedules nothing; any other call keeps what it took.
   *
   * The shares are of the capacity in force, with overrides.
   */
  onWarning?:
    | ((ctx: MutationCtx, warning: RateLimitWarning) => void | Promise<void>)
    | undefined;
};

/** The options of `hookAPI`: which limit and key the browser sees. */
export type HookAPIOptions<
  DataModel extends GenericDataModel,
  Key extends string | null = string | null,
> = {
  /**
   * The key, or a function that resolves it on the server. If the browser sent a key, the function
   * gets it and must check it.
   *
   * `null` selects the shared balance. It is an error if the function returns undefined: most often
   * the user is not signed in, and must not see the shared balance.
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
};

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
