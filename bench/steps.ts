import {
  isExceedsCapacityError,
  RateLimiter,
  type HoldId,
  type LeaseId,
  type LimitConfig,
} from "convex-rate-limiter";
import type { ComponentApi } from "convex-rate-limiter/_generated/component.js";
import {
  componentsGeneric,
  defineSchema,
  makeFunctionReference,
  mutationGeneric,
  type GenericMutationCtx,
  type GenericDataModel,
} from "convex/server";
import type { AnyAsk, NaiveOverride } from "../test/corners/naiveLimit.js";
import type { Component } from "./components.js";
import { ours } from "./limiters.js";

/** A limit and one of its keys. */
export type Of = { name: string; key: string };

export type Item = { of: Of; ask: AnyAsk };

/** One call of a verb. Holds and scheduled functions are those of earlier steps: the n-th, counted in a circle. */
export type Step =
  | { verb: "limit" | "check"; of: Of; ask: AnyAsk }
  | { verb: "limitAll" | "checkAll"; items: Item[] }
  | { verb: "credit" | "charge"; of: Of; count: number }
  | { verb: "reset" | "getValue"; of: Of }
  | { verb: "hold"; of: Of; count: number; expiresAfter?: number | undefined }
  | { verb: "settle"; nth: number; count: number }
  | { verb: "release" | "renew"; nth: number; isLease: boolean }
  | { verb: "schedule"; of: Of; count: number }
  | { verb: "cancel"; nth: number }
  | {
      verb: "override";
      name: string;
      key: string | undefined;
      change: NaiveOverride["change"];
      startsIn?: number | undefined;
      lasts?: number | undefined;
    }
  | { verb: "clear"; name: string; key: string | undefined }
  | { verb: "penalize"; of: Of; bans: number[]; forgetAfter: number }
  | { verb: "vacuum" };

/** What a step came to: an answer, or that it can never be granted. `id` is the hold that it was about. */
export type Told = { answer: unknown; id?: string | undefined };

/** The ids of what is held and scheduled. */
export type Ids = Record<"holds" | "leases" | "jobs", string[]>;

/** What all transactions of one run share. */
export type App = {
  limits: Record<string, LimitConfig>;
  limiter: RateLimiter<Record<string, LimitConfig>>;
  /** What committed transactions hold and have scheduled. */
  ids: Ids;
};

type Args = { app: App; steps: Step[]; throws: boolean };

/** What the steps of one transaction were told, whether it counts or not. */
export type Done = { told: Told[]; ids: Ids };

/** The host has thrown at the end of its mutation. */
export class Halfway extends Error {
  constructor(readonly done: Done) {
    super("half way");
  }
}

export function newApp(limits: Record<string, LimitConfig>): App {
  const { rateLimiter } = componentsGeneric() as unknown as {
    rateLimiter: ComponentApi;
  };
  const limiter = new RateLimiter(rateLimiter, limits);
  return { limits, limiter, ids: noIds() };
}

const noIds = (): Ids => ({ holds: [], leases: [], jobs: [] });

type Ctx = GenericMutationCtx<GenericDataModel>;

const run = mutationGeneric({
  handler: async (ctx, { app, steps, throws }: Args): Promise<Done> => {
    const done: Done = { told: [], ids: noIds() };
    for (const step of steps) done.told.push(await take(ctx, app, done, step));
    if (throws) throw new Halfway(done);
    return done;
  },
});

/** The work that is scheduled. */
const work = mutationGeneric({ handler: async () => null });

/** A host app that mounts the package. */
export const host: Component = {
  schema: defineSchema({}),
  modules: { steps: { run, work } },
  components: {
    rateLimiter: { schema: ours.schema, modules: ours.modules },
  },
};

async function take(ctx: Ctx, app: App, done: Done, step: Step): Promise<Told> {
  const kind = kindOf(step, app);
  const all = [...app.ids[kind], ...done.ids[kind]];
  const id = "nth" in step ? all.at(-1 - (step.nth % all.length)) : undefined;
  if ("nth" in step && id === undefined) return { answer: undefined };
  try {
    const answer = await call(ctx, app, step, id ?? "");
    const { id: held, scheduledId } = (answer ?? {}) as {
      id?: string;
      scheduledId?: string;
    };
    const made = held ?? scheduledId;
    if (made !== undefined) done.ids[kind].push(made);
    return { answer, id: id ?? made };
  } catch (error) {
    if (!isExceedsCapacityError(error)) throw error;
    return { answer: "exceeds", id };
  }
}

function kindOf(step: Step, { limits }: App): keyof Ids {
  if (step.verb === "cancel" || step.verb === "schedule") return "jobs";
  const isLease =
    "isLease" in step
      ? step.isLease
      : step.verb === "hold" && limits[step.of.name]!.kind === "concurrency";
  return isLease ? "leases" : "holds";
}

const vacuum = componentsGeneric().rateLimiter!;

async function call(
  ctx: Ctx,
  { limiter }: App,
  step: Step,
  id: string,
): Promise<unknown> {
  switch (step.verb) {
    case "limit":
    case "check": {
      const { name, key } = step.of;
      // The compiler wants upTo and reserve to exclude each other.
      const options = { key, ...step.ask, details: true } as { key: string };
      return limiter[step.verb](ctx, name, options);
    }
    case "limitAll":
    case "checkAll": {
      const list = step.items.map(({ of, ask: { count, reserve, leave } }) => ({
        ...of,
        count,
        reserve,
        leave,
      }));
      return limiter[step.verb](ctx, list, { details: true });
    }
    case "credit":
    case "charge": {
      const { of, count } = step;
      return limiter[step.verb](ctx, of.name, { key: of.key, count });
    }
    case "reset":
      return limiter.reset(ctx, step.of.name, { key: step.of.key });
    case "getValue":
      return limiter.getValue(ctx, step.of.name, { key: step.of.key });
    case "hold": {
      const { of, count, expiresAfter } = step;
      const options = { key: of.key, count, expiresAfter };
      return limiter.hold(ctx, of.name, options);
    }
    case "settle":
      return limiter.settle(ctx, id, { count: step.count });
    case "release":
      return limiter.release(ctx, id);
    case "renew":
      return limiter.renew(ctx, id);
    case "schedule": {
      const { of, count } = step;
      const fn = makeFunctionReference<"mutation">("steps:work");
      const options = { key: of.key, count, fn, args: {} };
      return limiter.schedule(ctx, of.name, options);
    }
    case "cancel":
      return limiter.cancelScheduled(ctx, id as never);
    case "override": {
      const { name, key, change, startsIn, lasts } = step;
      const from = Date.now() + (startsIn ?? 0);
      return limiter.setOverride(ctx, name, {
        key,
        ...change,
        startsAt: startsIn === undefined ? undefined : from,
        expiresAt: lasts === undefined ? undefined : from + lasts,
      });
    }
    case "clear":
      return limiter.clearOverride(ctx, step.name, { key: step.key });
    case "penalize": {
      const { of, bans, forgetAfter } = step;
      return limiter.penalize(ctx, of.name, { key: of.key, bans, forgetAfter });
    }
    case "vacuum":
      return ctx.runMutation((vacuum as any).vacuum.vacuum, {});
  }
}
