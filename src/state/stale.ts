import type {
  FunctionArgs,
  FunctionReference,
  FunctionReturnType,
  FunctionVisibility,
} from "convex/server";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";

/* How a mutation sees, without a read dependency, what others wrote. */

/**
 * Runs a query on a stale snapshot, so that nothing it reads becomes a read dependency of the
 * mutation.
 *
 * @throws An `Error` on a backend that is too old for this, which names the oldest one that will
 * do.
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
    // An older backend refuses an unknown kind of function like this (convex-backend,
    // crates/isolate/src/environment/udf/async_syscall.rs).
    if (!String(error).includes("udfType")) throw error;
    throw new Error(
      "convex-rate-limiter needs a Convex backend from 2026-07-24 on.",
      { cause: error },
    );
  }
}

/**
 * The same for calls of an app. Null in a mutation that is nested so deep (convex-backend,
 * `MAX_REACTOR_CALL_DEPTH`: 8) that it can call nothing: its caller has to read instead.
 */
export async function lookStaleIfPossible<
  Query extends FunctionReference<"query", FunctionVisibility>,
>(
  ctx: MutationCtx,
  query: Query,
  args: FunctionArgs<Query>,
): Promise<FunctionReturnType<Query> | null> {
  try {
    return await lookStale(ctx, query, args);
  } catch (error) {
    if (!String(error).includes("call depth limit")) throw error;
    return null;
  }
}

/** How many rows this transaction has written: a stale snapshot does not show them. */
export async function documentsWritten(ctx: QueryCtx): Promise<number> {
  const { documentsWritten } = await ctx.meta.getTransactionMetrics();
  return documentsWritten.used;
}

/**
 * The timestamp of the snapshot that a function sees. Undefined before `convex` 1.47, and on
 * backends that do not report it.
 */
export function snapshotOf({ meta }: QueryCtx): bigint | undefined {
  try {
    return meta.getSnapshotTs();
  } catch {
    return undefined;
  }
}

/**
 * Whether this query's snapshot is older than the mutation's. If so, the mutation must read to be
 * exact. No backend gives an older snapshot yet, but a later one may.
 */
export function isOlderSnapshot(
  ctx: QueryCtx,
  snapshot: bigint | undefined,
): boolean {
  return snapshotOf(ctx) !== snapshot;
}
