import {
  isExceedsCapacityError,
  RateLimiter,
  type LimitAllReturns,
  type LimitConfig,
  type ListedKey,
  type RateLimitConfig,
  type RateLimitReturns,
  type SettleAllItem,
} from "convex-rate-limiter";
import type { ComponentApi } from "convex-rate-limiter/_generated/component.js";
import {
  componentsGeneric,
  defineSchema,
  makeFunctionReference,
  mutationGeneric,
  type GenericMutationCtx,
  type GenericDataModel,
  type MutationBuilder,
} from "convex/server";
import type { GenericId } from "convex/values";
import { allPages } from "../support/allPages.js";
import type { AnyAsk, ModelOverride } from "../support/model.js";
import type { Component } from "../../sim/components.js";
import { ours } from "../../bench/limiters.js";

/** A limit and one of its keys; without a key, the balance that all share. */
export type Of = {
  name: string;
  key: string | undefined;
  /** The index of the config in `plans`, if it comes with the call. */
  plan?: number | undefined;
};

export type Item = { of: Of; ask: AnyAsk };
type Counted = { of: Of; count: number };
export type HeldItem = Counted & { expiresAfter?: number | undefined };
/** A limit, and a key of it or all of them. */
type Named = { name: string; key: string | undefined };

/** What each verb is called with. `nth` counts the holds or jobs of earlier steps, from the newest back, and wraps around. */
type Fields = {
  limit: Item;
  check: Item;
  limitAll: { items: Item[] };
  checkAll: { items: Item[] };
  credit: Counted;
  charge: Counted;
  schedule: Counted;
  reset: { of: Of };
  /** Comes first in its mutation: after a write, a job would do it. */
  resetAll: { name: string };
  getValue: { of: Of; sampleShards?: number | undefined };
  hold: HeldItem;
  holdAll: { items: HeldItem[] };
  settle: { nth: number; count: number };
  settleAll: {
    holds: { nth: number; isLease: boolean; count?: number | undefined }[];
  };
  release: { nth: number; isLease: boolean };
  renew: { nth: number };
  cancel: { nth: number };
  override: Named & {
    change: ModelOverride["change"];
    startsIn?: number | undefined;
    lasts?: number | undefined;
  };
  clear: Named;
  penalize: { of: Of & { key: string }; bans: number[]; forgetAfter: number };
  list: { order: "key" | "depleted" };
  clearAll: unknown;
  vacuum: unknown;
};
type Verb = keyof Fields;

/** One call of a verb. */
export type Step<V extends Verb = Verb> = {
  [Each in V]: { verb: Each } & Fields[Each];
}[V];

type Limiter = LifeApp["limiter"];
type AnswerOf<V extends keyof Limiter> = Limiter[V] extends (
  ...args: never[]
) => infer Returns
  ? Awaited<Returns>
  : never;

/** The answer of `limit` and `check`. With `upTo` it has `taken`. */
export type Asked = RateLimitReturns<true> & { taken?: number };

/** The call threw `ExceedsCapacity`. */
export type Exceeds = "exceeds";

/** What each verb answers. `id` is the hold or job that it used. */
type Answers = {
  [V in "limit" | "check"]: { answer: Asked | Exceeds };
} & {
  [V in "limitAll" | "checkAll"]: { answer: LimitAllReturns<true> | Exceeds };
} & {
  [V in "hold" | "holdAll" | "schedule"]: { answer: AnswerOf<V> | Exceeds };
} & {
  [V in "settle" | "release" | "renew"]: { id: string; answer: AnswerOf<V> };
} & {
  [V in "credit" | "charge" | "getValue" | "penalize" | "resetAll"]: {
    answer: AnswerOf<V>;
  };
} & {
  settleAll: { asked: SettleAllItem[]; answer: AnswerOf<"settleAll"> };
  cancel: { id: string; answer: AnswerOf<"cancelScheduled"> };
  list: { answer: ListedKey[] };
};

/** A step and its answer. */
export type Told<V extends Verb = Verb> = {
  [Each in V]: Step<Each> &
    (Each extends keyof Answers ? Answers[Each] : unknown);
}[V];

/** The ids of holds, leases and scheduled jobs. */
export type Ids = {
  holds: string[];
  leases: string[];
  jobs: GenericId<"_scheduled_functions">[];
};

/** What all transactions of one run share. */
export type LifeApp = {
  limits: Record<string, LimitConfig>;
  limiter: RateLimiter<Record<string, LimitConfig>>;
  /** The configs that come with calls. */
  plans: readonly LimitConfig[];
  /** The ids that committed transactions left. */
  ids: Ids;
};

type Args = { app: LifeApp; steps: Step[]; throws: boolean };

/** The answers to the steps of a transaction, whether it commits or not. */
export type Done = { told: Told[]; ids: Ids };

/** Thrown by the host at the end of its mutation. */
export class Halfway extends Error {
  constructor(readonly done: Done) {
    super("half way");
  }
}

export function newApp(
  limits: Record<string, LimitConfig>,
  plans: readonly LimitConfig[] = [],
): LifeApp {
  const { rateLimiter } = componentsGeneric() as unknown as {
    rateLimiter: ComponentApi;
  };
  const limiter = new RateLimiter(rateLimiter, limits, { advice: false });
  return { limits, limiter, plans, ids: noIds() };
}

export const noIds = (): Ids => ({ holds: [], leases: [], jobs: [] });

type Ctx = GenericMutationCtx<GenericDataModel>;

const mutation: MutationBuilder<GenericDataModel, "public"> = mutationGeneric;

const run = mutation({
  handler: async (ctx, { app, steps, throws }: Args): Promise<Done> => {
    const done: Done = { told: [], ids: noIds() };
    for (const step of steps) {
      const told = await call(ctx, app, done.ids, step);
      if (told !== undefined) done.told.push(told);
    }
    if (throws) throw new Halfway(done);
    return done;
  },
});

/** The function that is scheduled. */
const work = mutation({ handler: async () => null });

/** A host app that mounts the package. */
export const host: Component = {
  schema: defineSchema({}),
  modules: { steps: { run, work } },
  components: {
    rateLimiter: { schema: ours.schema, modules: ours.modules },
  },
};

/** Calls a verb. Returns undefined if it has no hold or job, or if Convex refuses to schedule so far ahead. */
async function call(
  ctx: Ctx,
  { limits, limiter, plans, ids }: LifeApp,
  made: Ids,
  step: Step,
): Promise<Told | undefined> {
  const rateLimiter = componentsGeneric().rateLimiter!;
  const idOf = (kind: "holds" | "leases", n: number) =>
    nth([...ids[kind], ...made[kind]], n);
  const kindOf = (isLease: boolean) => (isLease ? "leases" : "holds");
  const keep = ({ name }: Of, id: string) =>
    made[kindOf(limits[name]?.kind === "concurrency")].push(id);
  /** The key, and the config if it comes with the call. */
  const named = ({ key, plan }: Of) => ({
    key,
    config: plan === undefined ? undefined : (plans[plan] as RateLimitConfig),
  });
  switch (step.verb) {
    case "limit":
    case "check": {
      const { name } = step.of;
      // The types allow only one of upTo and reserve.
      const options = { ...named(step.of), ...step.ask, details: true } as {
        details: true;
      };
      const answer = await orExceeds(limiter[step.verb](ctx, name, options));
      return { ...step, answer };
    }
    case "limitAll":
    case "checkAll": {
      const list = step.items.map(({ of, ask: { count, reserve, leave } }) => ({
        name: of.name,
        ...named(of),
        count,
        reserve,
        leave,
      }));
      const options = { details: true } as const;
      const answer = await orExceeds(limiter[step.verb](ctx, list, options));
      return { ...step, answer };
    }
    case "credit":
    case "charge": {
      const { of, count } = step;
      const options = { ...named(of), count };
      const answer = await limiter[step.verb](ctx, of.name, options);
      return { ...step, answer } as Told;
    }
    case "schedule": {
      const { of, count } = step;
      const fn = makeFunctionReference<"mutation">("steps:work");
      const options = { ...named(of), count, fn, args: {} };
      const answer = await orTooLate(
        orExceeds(limiter.schedule(ctx, of.name, options)),
      );
      if (answer === undefined) return undefined;
      if (answer !== "exceeds" && answer.ok) made.jobs.push(answer.scheduledId);
      return { ...step, answer };
    }
    case "reset":
      await limiter.reset(ctx, step.of.name, named(step.of));
      return step;
    case "resetAll": {
      const { name } = step;
      const config = limits[name] === undefined ? plans[0] : undefined;
      const options = { config: config as RateLimitConfig };
      return { ...step, answer: await limiter.resetAll(ctx, name, options) };
    }
    case "getValue": {
      const { of, sampleShards } = step;
      const options = { ...named(of), sampleShards };
      return { ...step, answer: await limiter.getValue(ctx, of.name, options) };
    }
    case "hold": {
      const { of, count, expiresAfter } = step;
      const options = { ...named(of), count, expiresAfter };
      const answer = await orExceeds(limiter.hold(ctx, of.name, options));
      if (answer !== "exceeds" && answer.ok) keep(of, answer.id);
      return { ...step, answer };
    }
    case "holdAll": {
      const list = step.items.map(({ of, ...more }) => ({
        name: of.name,
        ...named(of),
        ...more,
      }));
      const answer = await orExceeds(limiter.holdAll(ctx, list));
      if (answer !== "exceeds" && answer.ok) {
        for (const [i, { of }] of step.items.entries()) {
          keep(of, answer.ids[i]!);
        }
      }
      return { ...step, answer };
    }
    case "settleAll": {
      const asked = step.holds.flatMap(({ nth, isLease, count }) => {
        const id = idOf(kindOf(isLease), nth);
        return id === undefined ? [] : [isLease ? { id } : { id, count }];
      });
      const answer = await limiter.settleAll(ctx, asked);
      return { ...step, asked, answer };
    }
    case "settle": {
      const id = idOf("holds", step.nth);
      if (id === undefined) return undefined;
      const { count } = step;
      return { ...step, id, answer: await limiter.settle(ctx, id, { count }) };
    }
    case "release": {
      const id = idOf(kindOf(step.isLease), step.nth);
      if (id === undefined) return undefined;
      return { ...step, id, answer: await limiter.release(ctx, id) };
    }
    case "renew": {
      const id = idOf("leases", step.nth);
      if (id === undefined) return undefined;
      return { ...step, id, answer: await limiter.renew(ctx, id) };
    }
    case "cancel": {
      const id = nth([...ids.jobs, ...made.jobs], step.nth);
      if (id === undefined) return undefined;
      return { ...step, id, answer: await limiter.cancelScheduled(ctx, id) };
    }
    case "override": {
      const { name, key, change, startsIn, lasts } = step;
      const from = Date.now() + (startsIn ?? 0);
      await limiter.setOverride(ctx, name, {
        key,
        ...change,
        startsAt: startsIn === undefined ? undefined : from,
        expiresAt: lasts === undefined ? undefined : from + lasts,
      });
      return step;
    }
    case "clear":
      await limiter.clearOverride(ctx, step.name, { key: step.key });
      return step;
    case "penalize": {
      const { of, bans, forgetAfter } = step;
      const options = { key: of.key, bans, forgetAfter };
      return { ...step, answer: await limiter.penalize(ctx, of.name, options) };
    }
    case "list":
      return {
        ...step,
        answer: await allPages((cursor) =>
          limiter.list(ctx, {
            order: step.order,
            paginationOpts: { numItems: 3, cursor },
          }),
        ),
      };
    case "clearAll":
      await ctx.runMutation(limiter.component.lib.clearAll, {});
      return step;
    case "vacuum":
      await ctx.runMutation(rateLimiter.jobs!.vacuum!, {});
      return step;
  }
}

async function orExceeds<Answer>(
  called: Promise<Answer>,
): Promise<Answer | Exceeds> {
  try {
    return await called;
  } catch (error) {
    if (isExceedsCapacityError(error)) return "exceeds";
    throw error;
  }
}

/** Undefined if the work would run later than Convex's scheduler accepts. */
async function orTooLate<Answer>(
  called: Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await called;
  } catch (error) {
    if (String(error).includes("more than five years")) return undefined;
    throw error;
  }
}

const nth = <Id>(ids: readonly Id[], n: number): Id | undefined =>
  ids.at(-1 - (n % ids.length));
