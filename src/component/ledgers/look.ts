import type {
  FunctionArgs,
  FunctionReference,
  FunctionReturnType,
  FunctionVisibility,
} from "convex/server";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";

/* How mutations see what others wrote without a read dependency. */

/**
 * Runs a query on a stale snapshot: what it reads is no read dependency of the mutation.
 *
 * @throws An `Error` that names the least backend version, on one that does not know it.
 */
export async function lookStale<
  Query extends FunctionReference<"query", FunctionVisibility>,
>(
  ctx: MutationCtx,
  query: Query,
  args: FunctionArgs<Query>,
): Promise<FunctionReturnType<Query>> {
  try {
    return await ctx.runQuery(query, args, { useStaleSnapshot: true });
  } catch (error) {
    // What an older backend says of a kind of function that it does not know
    // (convex-backend, crates/isolate/src/environment/udf/async_syscall.rs).
    if (!String(error).includes("udfType")) throw error;
    throw new Error(
      "convex-rate-limiter needs a Convex backend from 2026-07-24 on.",
      { cause: error },
    );
  }
}

/**
 * The timestamp of the snapshot that a function sees. Undefined where nobody tells it: `convex`
 * does from 1.47 on, with a backend that does.
 */
export function snapshotOf({ meta }: QueryCtx): bigint | undefined {
  try {
    return meta.getSnapshotTs();
  } catch {
    return undefined;
  }
}

/**
 * Whether a look sees less than its mutation, which has to read then if it is to be exact. No
 * backend does so yet, but one of a later version may.
 */
export function isAged(ctx: QueryCtx, mutations: bigint | undefined): boolean {
  return snapshotOf(ctx) !== mutations;
}
