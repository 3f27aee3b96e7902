import {
  makeFunctionReference,
  mutationGeneric,
  queryGeneric,
  type GenericDataModel,
  type GenericMutationCtx,
} from "convex/server";
import { v, type Infer } from "convex/values";

/** A verb and its arguments: of the limiter, or `insert` or `work`, which a mutation may do besides. */
export type Step = readonly [verb: string, ...args: unknown[]];

const vSteps = v.array(v.array(v.any()));

const vTaken = v.object({
  /** The clock of the transaction: when its last attempt began. */
  now: v.number(),
  /** What each step returned. */
  answers: v.array(v.any()),
});

export type Taken = Infer<typeof vTaken>;

const nothing = makeFunctionReference<"query">("byHand:ask");

/** What an app does beside asking a limiter. */
const app = {
  insert: async ({ db }: GenericMutationCtx<GenericDataModel>) => {
    await db.insert("log", { text: "written before the limiter is asked" });
  },
  /**
   * Takes time: calls a query that does nothing, so many times. Nothing in a mutation can wait, and
   * one that computes for so long is cut off.
   */
  work: async (
    { runQuery }: GenericMutationCtx<GenericDataModel>,
    calls: number,
  ) => {
    for (let i = 0; i < calls; i++) await runQuery(nothing, { steps: [] });
    return calls;
  },
};

/**
 * The functions of an app with this limiter: `run` takes steps in a mutation, `ask` in a query.
 *
 * The caller chooses the limits and their configs. No real app may allow that: this one is for a
 * deployment that is used for nothing else.
 */
export function functionsOf(limiter: object) {
  const args = { steps: vSteps };
  const returns = vTaken;
  const handler = (ctx: object, { steps }: { steps: unknown[][] }) =>
    take(ctx, limiter, steps);
  return {
    run: mutationGeneric({ args, returns, handler }),
    ask: queryGeneric({ args, returns, handler }),
  };
}

/** Takes the steps one after the other, in one transaction. */
async function take(
  ctx: object,
  limiter: object,
  steps: readonly unknown[][],
): Promise<Taken> {
  const now = Date.now();
  const answers: unknown[] = [];
  for (const [verb, ...args] of steps) {
    if (typeof verb !== "string") throw new Error("A step begins with a verb.");
    const actor = verb in app ? app : limiter;
    const method: unknown = Reflect.get(actor, verb);
    if (typeof method !== "function") throw new Error(`There is no ${verb}.`);
    const answer: unknown = await Reflect.apply(method, actor, [ctx, ...args]);
    answers.push(answer ?? null);
  }
  return { now, answers };
}
