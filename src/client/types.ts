import type {
  FunctionArgs,
  GenericActionCtx,
  GenericDataModel,
  GenericMutationCtx,
  GenericQueryCtx,
  PaginationOptions,
  RegisteredMutation,
  RegisteredQuery,
  SchedulableFunctionReference,
} from "convex/server";
import type { GenericId } from "convex/values";
import type { Listed } from "../component/list.js";
import type { Override } from "../core/rules.js";
import type { StoredOverride } from "../component/overrides.js";
import type { RateLimitConfig } from "../core/config.js";
import type { GetValueArgs, GetValueReturns } from "../core/value.js";

export type {
  GetValueArgs,
  GetValueReturns,
  Listed as ListedKey,
  StoredOverride,
};

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

/** Whose limit it is, and the rule of a limit that the constructor does not name. */
export type KeyArgs = {
  /** Who is limited: a user, a team, an address. Absent: one limit that all share. */
  key?: string;
  /** The rule, instead of the one that the constructor names. */
  config?: RateLimitConfig;
};

/** What is asked of one limit. */
export type RequestArgs = KeyArgs & {
  /**
   * The tokens wanted. Finite, at least 0; fractions are legal.
   * @default 1
   */
  count?: number;
  /**
   * Whether tokens that do not exist yet may be taken: then `ok` comes with a
   * `retryAfter`, after which the work may run without asking again.
   * @default false
   */
  reserve?: boolean;
};

/** How the answer is given. */
export type AnswerArgs<Details extends boolean> = {
  /**
   * Whether a denial throws a `ConvexError` with the data of {@link RateLimitError}
   * instead of returning. A thrown error rolls the caller's mutation back, and with
   * it whatever it had consumed.
   * @default false
   */
  throws?: boolean;
  /**
   * Whether the answer says `limit`, `remaining` and `resetAfter`. Looks at each
   * row of a limit that is split, without a read dependency in a mutation.
   * @default false
   */
  details?: Details;
};

/** The arguments of `limit` and `check`, with the name. */
export type RateLimitArgs = RequestArgs &
  AnswerArgs<boolean> & { name: string; config: RateLimitConfig };

/** The state of a limit after a call, for HTTP headers. */
export type RateLimitDetails = {
  /** The capacity. */
  limit: number;
  /** Whole tokens left: rounded down, never negative. */
  remaining: number;
  /** ms until the limit is full. */
  resetAfter: number;
};

/**
 * The answer of `limit` and `check`.
 *
 * - `ok: true`: granted. With a `retryAfter`, the tokens are reserved: run the work
 *   after that many ms, without asking again.
 * - `ok: false`: denied; nothing was consumed. The same request succeeds in
 *   `retryAfter` ms if nobody else consumes.
 *
 * `wouldDeny` appears only where a limit has `enforce: false` and would have denied.
 */
export type RateLimitReturns =
  | { ok: true; retryAfter?: number; wouldDeny?: true }
  | { ok: false; retryAfter: number; wouldDeny?: undefined };

/** {@link RateLimitReturns}, with the details where they were asked for. */
export type Answer<Details extends boolean> = RateLimitReturns &
  (Details extends true ? RateLimitDetails : unknown);

/**
 * The answer of `limitAll` and `checkAll`. `blockedBy` is the first limit of the
 * list that refuses, `retryAfter` the longest wait of those that do; `remaining` the
 * least of the list.
 */
export type ListAnswer<Details extends boolean> = (
  | { ok: true; retryAfter?: number; wouldDeny?: true }
  | {
      ok: false;
      retryAfter: number;
      wouldDeny?: undefined;
      blockedBy: { index: number; name: string };
    }
) &
  (Details extends true ? RateLimitDetails : unknown);

/** One entry of the list of `limitAll` and `checkAll`. */
export type ListItem<Limits> =
  | ({ name: keyof Limits & string } & RequestArgs)
  | ({ name: string } & WithConfig<RequestArgs>);

/** The names that the constructor was given; any name, if it was given none. */
export type LimitName<Limits> = [keyof Limits] extends [never]
  ? string
  : keyof Limits & string;

/** The arguments for a limit that the constructor does not name. */
export type WithConfig<Args> = Args & { config: RateLimitConfig };

/** The arguments of `credit` and `charge`. */
export type AmountArgs = KeyArgs & {
  /**
   * How many tokens. Finite, above 0.
   * @default 1
   */
  count?: number;
};

/** The arguments of `schedule`. */
export type ScheduleArgs<Fn extends SchedulableFunctionReference> =
  AmountArgs & {
    /** The function to run. */
    fn: Fn;
    /** Its arguments. */
    args: FunctionArgs<Fn>;
    /**
     * A random delay of up to this many ms is added to the reserved time.
     * @default 0
     */
    jitter?: number;
  };

/** The answer of `schedule`. `retryAfter` is when the function runs: in how many ms. */
export type Scheduled =
  | { ok: true; retryAfter: number; scheduledId: ScheduledId }
  | { ok: false; retryAfter: number; scheduledId?: undefined };

export type ScheduledId = GenericId<"_scheduled_functions">;

/** The arguments of `setOverride`: what to change, for whom, and until when. */
export type OverrideArgs = Override & {
  /** Whom it is for. Absent: the whole limit. */
  key?: string;
  /** From when on it holds, in ms from the epoch. Absent: at once. */
  startsAt?: number;
  /** From when on it is ignored, in ms from the epoch. Absent: never. */
  expiresAt?: number;
  /** For the operators. */
  note?: string;
};

/** The arguments of `list`. */
export type ListArgs = {
  /** Only this limit. */
  name?: string;
  /**
   * `"key"`: by name and key. `"depleted"`: the key that takes longest to be full
   * again first.
   * @default "key"
   */
  order?: "key" | "depleted";
  paginationOpts: PaginationOptions;
};

/** A denial, as `onDenied` is told of it. */
export type Denial = {
  name: string;
  key: string | undefined;
  count: number;
  retryAfter: number;
};

/** The options of the constructor. */
export type RateLimiterOptions = {
  /**
   * Called after each denial by `limit`, `limitAll` and `schedule`, in the caller's
   * transaction, before anything is thrown. What it writes is lost if the caller's
   * mutation throws, as with `throws: true`; what it logs is not.
   */
  onDenied?: (ctx: MutationCtx, denial: Denial) => void | Promise<void>;
};

/** Whose limit the browser is shown. */
export type HookOptions<DataModel extends GenericDataModel> = {
  /**
   * The key, or a function that finds it out on the server. It is given what the
   * browser sent, if anything, and must check it.
   */
  key?:
    | string
    | ((
        ctx: GenericQueryCtx<DataModel>,
        keyFromClient?: string,
      ) => string | Promise<string>);
  /**
   * How many rows of a limit that is split are read.
   * @default all
   */
  sampleShards?: number;
  config?: RateLimitConfig;
};

/** The functions that `hookAPI` makes, to be exported from the app. */
export type HookAPI = {
  /** The balance of the limit, for `useRateLimit`. */
  getRateLimit: RegisteredQuery<
    "public",
    GetValueArgs,
    Promise<GetValueReturns>
  >;
  /** The server's time in ms, for the hook to correct the browser's clock by. */
  getServerTime: RegisteredMutation<
    "public",
    Record<string, never>,
    Promise<number>
  >;
};
