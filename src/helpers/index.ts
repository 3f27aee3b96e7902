import type { Customization } from "convex-helpers/server/customFunctions";
import type { ObjectType, PropertyValidators } from "convex/values";
import type {
  MutationCtx,
  QueryCtx,
  RateLimitConfig,
  RateLimiter,
} from "../client/index.js";

/** Whose limit a guarded function takes from, and how much. */
export type RateLimitedOptions<
  Ctx extends QueryCtx,
  Args extends PropertyValidators,
  Added extends object,
  MadeArgs extends object,
> = {
  /**
   * Finds out who is limited: from the ctx, with what `after` adds to it, and from the
   * arguments that `args` or `after` names. Absent, or if it gives undefined: one limit
   * that all share.
   */
  key?: (
    ctx: Omit<Ctx, keyof Added> & Added,
    args: MadeArgs,
  ) => string | undefined | Promise<string | undefined>;
  /**
   * The tokens that one call takes.
   * @default 1
   */
  count?: number;
  /** The rule of a limit that the constructor does not name. */
  config?: RateLimitConfig;
} & (
  | {
      /**
       * The arguments that `key` needs, with their validators. Each guarded function
       * takes them and is given them.
       * @default none
       */
      args?: Args;
      after?: undefined;
    }
  | {
      /** A customization that comes first, and whose ctx and arguments are kept. */
      after: Customization<Ctx, Args, Added, MadeArgs>;
      args?: undefined;
    }
);

/**
 * A customization for `customMutation`, `customAction` and `customQuery` of
 * convex-helpers. A function built with it asks the limit first, and throws if it is
 * denied. Its ctx and arguments stay as they are.
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
 * - In a mutation the tokens are taken in its transaction: if it throws later, none are.
 *   So this limits what is done, not what is tried. For failed logins call `limit` in
 *   a mutation that does not throw.
 * - In an action they are taken before it starts, and stay taken if it fails.
 * - In a query nothing can be taken. It is denied while the limit is short of tokens, which
 *   something else must have taken, and until it runs again.
 *
 * There is no `reserve`: the function runs now, and a reservation is for later. Use
 * `schedule`.
 *
 * Reads and writes what `limit` does, in a query what `check` does.
 *
 * @throws In each guarded function, as `limit` with `throws: true` does.
 */
export function rateLimited<
  Limits extends Record<string, RateLimitConfig>,
  Ctx extends QueryCtx,
  Args extends PropertyValidators = Record<never, never>,
  Added extends object = Record<never, never>,
  MadeArgs extends object = ObjectType<Args>,
>(
  rateLimiter: RateLimiter<Limits>,
  name: keyof Limits & string,
  options?: RateLimitedOptions<Ctx, Args, Added, MadeArgs>,
): Customization<Ctx, Args, Added, MadeArgs>;
export function rateLimited<
  Ctx extends QueryCtx,
  Args extends PropertyValidators = Record<never, never>,
  Added extends object = Record<never, never>,
  MadeArgs extends object = ObjectType<Args>,
>(
  rateLimiter: RateLimiter,
  name: string,
  options: RateLimitedOptions<Ctx, Args, Added, MadeArgs> & {
    config: RateLimitConfig;
  },
): Customization<Ctx, Args, Added, MadeArgs>;
export function rateLimited(
  rateLimiter: RateLimiter<Record<string, RateLimitConfig>>,
  name: string,
  options: RateLimitedOptions<
    QueryCtx,
    PropertyValidators,
    object,
    Record<string, unknown>
  > = {},
): Customization<
  QueryCtx,
  PropertyValidators,
  object,
  Record<string, unknown>
> {
  const { key, count, config, after = passOn(options.args) } = options;
  return {
    args: after.args,
    input: async (ctx, input, extra) => {
      const added = await after.input(ctx, input, extra);
      const request = {
        key: await key?.({ ...ctx, ...added.ctx }, added.args),
        count,
        config,
        throws: true,
      };
      if (canWrite(ctx)) await rateLimiter.limit(ctx, name, request);
      else await rateLimiter.check(ctx, name, request);
      return added;
    },
  };
}

/** Takes the arguments and hands them on. */
function passOn(
  args: PropertyValidators = {},
): Customization<
  QueryCtx,
  PropertyValidators,
  object,
  Record<string, unknown>
> {
  return { args, input: (_ctx, input) => ({ ctx: {}, args: input }) };
}

/** The ctx of a query cannot run mutations. */
function canWrite(ctx: QueryCtx): ctx is MutationCtx {
  return "runMutation" in ctx;
}
