import type {
  FunctionArgs,
  OptionalRestArgs,
  SchedulableFunctionReference,
} from "convex/server";
import type { ComponentApi } from "../component/_generated/component.js";
import { AT_LEAST_0, requireValue } from "../core/checks.js";
import type { LimitConfig } from "../core/config.js";
import { DAY } from "../core/periods.js";
import { runWithRenewals } from "./renewing.js";
import {
  runCallbacks,
  type ComponentAnswer,
  type Requested,
  type TargetOptions,
  type RequestBuilder,
} from "./requests.js";
import type {
  ActionCtx,
  Blocked,
  HoldAllItem,
  HoldAllOptions,
  HoldAllReturns,
  HoldOptions,
  MutationCtx,
  RateLimiterOptions,
  ScheduleOptions,
  ScheduleReturns,
  SchedulingCtx,
  WhileHoldingReturns,
} from "./types.js";
import { checkOptions, requireWork } from "./checks.js";
import { HOLD_FIELDS } from "./options.js";

/** The arguments of `whileHolding` for a single limit. */
export type HoldOneArgs<Result> = [
  name: string,
  options: HoldOptions & TargetOptions,
  work: (held: { id: string }) => Result | Promise<Result>,
];

/** The arguments of `whileHolding` for a list. */
export type HoldAllArgs<Result> = [
  limits: readonly HoldAllItem[],
  work: (held: { ids: string[] }) => Result | Promise<Result>,
  options?: HoldAllOptions,
  ...none: never[],
];

type Holds = ComponentApi["verbs"];

/**
 * Holds tokens, for the caller or for work that it runs. If a callback such as `onWarning` throws,
 * it releases what the call held, since the caller never gets the ids.
 */
export class Holding {
  constructor(
    private readonly holds: () => Holds,
    private readonly build: RequestBuilder,
    private readonly callbacks: RateLimiterOptions,
  ) {}

  /** Holds tokens of one limit. */
  async hold(
    ctx: MutationCtx,
    request: FunctionArgs<Holds["hold"]>,
    throws: boolean | undefined,
  ) {
    const held = await ctx.runMutation(this.holds().hold, request);
    const ids = held.ok ? [held.id] : [];
    return this.finish(ctx, held, ids, [request], throws);
  }

  /** Holds tokens of all limits of a list, or of none. */
  async holdAll(
    ctx: MutationCtx,
    list: FunctionArgs<Holds["holdAll"]>,
    throws: boolean | undefined,
  ): Promise<HoldAllReturns> {
    const answer = await ctx.runMutation(this.holds().holdAll, list);
    if (!answer.ok) return this.finish(ctx, answer, [], list.limits, throws);
    const { heldBefore = [], ...held } = answer;
    const fresh = held.ids.filter((_, i) => !heldBefore.includes(i));
    return this.finish(ctx, held, fresh, list.limits, throws);
  }

  /** Holds while the work of an action runs, then releases what the work has not settled. */
  async whileHolding<Result>(
    ctx: ActionCtx,
    ...args: HoldOneArgs<Result> | HoldAllArgs<Result>
  ): Promise<WhileHoldingReturns<Result, false, Partial<Blocked>>> {
    const [limits, work, options = {}] = isOne(args) ? toAll(args) : args;
    const list = this.build.holdAll("whileHolding", limits, options);
    const given = isOne(args) ? args[2] : work;
    requireWork(limits[0]!.name, "whileHolding", "the work to run", given);
    if (!("runAction" in ctx)) {
      throw new Error(
        `Rate limit ${limits[0]!.name}: whileHolding is for actions. In a mutation call hold and release.`,
      );
    }
    const held = await this.holdAll(ctx, list, options.throws);
    if (!held.ok) {
      const { ok, retryAfter, blockedBy } = held;
      return { ok, retryAfter, ...(!isOne(args) && { blockedBy }) };
    }
    const { ids } = held;
    const run = list.limits.reduce(
      (inner, { config }, i) =>
        config.kind === "concurrency"
          ? () =>
              runWithRenewals(inner, config.lease, () =>
                ctx
                  .runMutation(this.holds().renew, { id: ids[i]! })
                  .then(({ renewed }) => renewed),
              )
          : inner,
      async () => work({ ids }),
    );
    try {
      return { ok: true, result: await run() };
    } finally {
      await this.release(ctx, ids);
    }
  }

  /** Holds reserved tokens for a function, and schedules it for when they exist. */
  async schedule<Fn extends SchedulableFunctionReference>(
    ctx: SchedulingCtx,
    name: string,
    options: ScheduleOptions<Fn> & { config?: LimitConfig },
  ): Promise<ScheduleReturns> {
    const { fn, args, jitter = 0, throws } = options;
    requireWork(name, "schedule", "fn, the function to run", fn);
    requireValue(name, "jitter", AT_LEAST_0, jitter);
    const delay = Math.floor(Math.random() * jitter);
    const request = {
      ...this.build.amount(name, options),
      reserve: true,
      // The hold must outlast the wait until the work starts.
      expiresAfter: delay + DAY,
    };
    const held = await this.hold(ctx, request, throws);
    if (!held.ok) return held;
    const retryAfter = (held.retryAfter ?? 0) + delay;
    const scheduledId = await ctx.scheduler.runAfter(
      retryAfter,
      fn,
      // TypeScript does not resolve the conditional type of the rest arguments.
      ...([args] as unknown as OptionalRestArgs<Fn>),
    );
    await ctx.runMutation(this.holds().attach, { id: held.id, scheduledId });
    return { ok: true, retryAfter, scheduledId };
  }

  /**
   * Runs the callbacks. If that throws, releases what the call held: not what an earlier call with
   * the same `once` did.
   */
  private async finish<Answer extends ComponentAnswer>(
    ctx: MutationCtx,
    answer: Answer,
    ids: readonly string[],
    requests: readonly Requested[],
    throws: boolean | undefined,
  ): Promise<Answer> {
    try {
      return await runCallbacks(this.callbacks, ctx, answer, requests, throws);
    } catch (error) {
      if (ids.length > 0) await this.release(ctx, ids);
      throw error;
    }
  }

  /** Ignores a failure: the holds then expire by themselves. */
  private async release(
    ctx: MutationCtx,
    ids: readonly string[],
  ): Promise<void> {
    await ctx
      .runMutation(this.holds().settleAll, {
        holds: ids.map((id) => this.build.settle(id)),
      })
      .catch(() => undefined);
  }
}

function isOne<Result>(
  args: HoldOneArgs<Result> | HoldAllArgs<Result>,
): args is HoldOneArgs<Result> {
  return typeof args[0] === "string";
}

/** Turns the arguments for a single limit into those for a list of one. */
function toAll<Result>([
  name,
  options,
  work,
]: HoldOneArgs<Result>): HoldAllArgs<Result> {
  checkOptions("whileHolding", options, HOLD_FIELDS, name);
  const { throws, ...item } = options;
  return [[{ ...item, name }], ({ ids }) => work({ id: ids[0]! }), { throws }];
}
