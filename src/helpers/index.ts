import type { Customization } from "convex-helpers/server/customFunctions";
import type { ObjectType, PropertyValidators } from "convex/values";
import type {
  ConfigFunction,
  InferredFields,
  LimitConfig,
  MaybePromise,
  MutationCtx,
  OptionsWith,
  QueryCtx,
  RateLimiter,
  RefillingNameOf,
  WrittenRefilling,
} from "../client/index.js";
import {
  checkOptions,
  findTarget,
  refillingConfigOf,
  requireKeyIfSet,
} from "../client/checks.js";
import { RATE_LIMITED_FIELDS } from "../client/options.js";

/** A customization, as the body of {@link rateLimited} sees it. */
type AnyCustomization = Customization<
  QueryCtx,
  PropertyValidators,
  object,
  Record<string, unknown>
>;

/** Whose limit a guarded function takes from, and how much. */
export type RateLimitedOptions<
  Ctx extends QueryCtx,
  Args extends PropertyValidators,
  Added extends object,
  MadeArgs extends object,
  Key extends string | null = string | null,
> = {
  /**
   * Returns who is limited. It gets the ctx, with what `after` adds to it, and the arguments that
   * `args` or `after` names.
   *
   * `null` selects the shared balance. It is an error to return undefined: most often the caller is
   * not signed in, and would share one limit with everyone else who is not.
   * @default the shared balance
   */
  key?:
    | ((
        ctx: Omit<Ctx, keyof Added> & Added,
        args: MadeArgs,
      ) => MaybePromise<Key>)
    | undefined;
  /**
   * The tokens that one call takes. Finite, at least 0; fractions are legal.
   * @default 1
   */
  count?: number | undefined;
  /** The config, or a function that finds it on the server. */
  config?:
    | WrittenRefilling
    | undefined
    | ConfigFunction<
        Omit<Ctx, keyof Added> & Added,
        Key,
        WrittenRefilling,
        [args: MadeArgs]
      >;
} & (
  | {
      /**
       * The arguments that `key` needs, with their validators. Each guarded function takes them and
       * receives them.
       * @default none
       */
      args?: Args | undefined;
      after?: undefined;
    }
  | {
      /** A customization that runs first. Its ctx and arguments are kept. */
      after: Customization<Ctx, Args, Added, MadeArgs>;
      args?: undefined;
    }
);

/**
 * A customization for `customMutation` and `customAction` of convex-helpers: a function built with
 * it takes from the limit first, and throws if denied. With `customQuery` it only checks: it denies
 * callers who have used the limit up elsewhere. To limit reads, put a mutation or an action in
 * front. Ctx and arguments stay as they are.
 *
 * ```ts
 * const sendingMutation = customMutation(
 *   mutation,
 *   rateLimited(rateLimiter, "sendMessage", {
 *     after: withUser, // a customization of your own, if you have one
 *     key: (ctx) => ctx.user._id,
 *   }),
 * );
 * ```
 *
 * - In a mutation the tokens are taken in its transaction: if the mutation throws later, none are
 *   taken. So this limits what succeeds, not what is tried. For failed logins call `limit` in a
 *   mutation that does not throw. Its denials always throw, so `stats` and the dashboard never
 *   count them.
 * - In an action they are taken before it starts, and stay taken if it fails.
 * - In a query nothing can be taken, however often it is called. It is denied only if other
 *   functions have taken the tokens, and stays denied until it runs again. To limit how many read
 *   at once, let a mutation take and renew a lease.
 *
 * There is no `reserve`: the function runs now, and a reservation is for later. Use `schedule`.
 *
 * Reads and writes what `limit` does, or in a query what `check` does.
 *
 * @throws When the module loads, an `Error` if the limit is not defined or is a concurrency limit.
 * In each guarded function, as `limit` with `throws: true` does, and an `Error` if the key function
 * returns undefined.
 */
export function rateLimited<
  Limits extends Record<string, LimitConfig>,
  Name extends string,
  Ctx extends QueryCtx,
  Args extends PropertyValidators = Record<never, never>,
  Added extends object = Record<never, never>,
  MadeArgs extends object = ObjectType<Args>,
  Key extends string | null = string | null,
  Given extends string = never,
>(
  rateLimiter: RateLimiter<Limits>,
  name: RefillingNameOf<Limits, Name, OptionsWith<Given>>,
  options?: RateLimitedOptions<Ctx, Args, Added, MadeArgs, Key> &
    InferredFields<Given>,
): Customization<Ctx, Args, Added, MadeArgs>;
export function rateLimited(
  rateLimiter: RateLimiter<Record<string, LimitConfig>>,
  name: string,
  options: RateLimitedOptions<
    QueryCtx,
    PropertyValidators,
    object,
    Record<string, unknown>
  > = {},
): AnyCustomization {
  checkOptions("rateLimited", RATE_LIMITED_FIELDS, options, name);
  const { key, count, config, after = passOn(options.args) } = options;
  const { limits } = rateLimiter;
  if (typeof config !== "function") {
    const found = refillingConfigOf(limits, name, config);
    if (key === undefined) requireKeyIfSet(name, found, key);
  }
  return {
    args: after.args,
    input: async (ctx, input, extra) => {
      const added = await after.input(ctx, input, extra);
      const { args } = added;
      const fullCtx = { ...ctx, ...added.ctx };
      const found = key === undefined ? null : await key(fullCtx, args);
      const target = await findTarget(
        limits,
        name,
        found,
        config,
        fullCtx,
        args,
      );
      const request = { ...target, count, throws: true };
      if (canWrite(ctx)) await rateLimiter.limit(ctx, name, request);
      else await rateLimiter.check(ctx, name, request);
      return added;
    },
  };
}

/** Takes the arguments and passes them on. */
function passOn(args: PropertyValidators = {}): AnyCustomization {
  return { args, input: (_ctx, input) => ({ ctx: {}, args: input }) };
}

function canWrite(ctx: QueryCtx): ctx is MutationCtx {
  return "runMutation" in ctx;
}
