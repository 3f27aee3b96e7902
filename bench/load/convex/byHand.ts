import { functionsOf } from "../steps.js";
import { type MutationCtx, type QueryCtx } from "./_generated/server.js";

type Options = {
  key?: string;
  count?: number;
  config: { rate: number; period: number; capacity?: number };
};

/** A token bucket in one row of the app's own: what an exact limiter does at least. */
const limiter = {
  check: async (ctx: QueryCtx, name: string, options: Options) => {
    const { row: _, ...answer } = await balanceAfter(ctx, name, options);
    return answer;
  },
  limit: async (ctx: MutationCtx, name: string, options: Options) => {
    const { row, ...answer } = await balanceAfter(ctx, name, options);
    if (!answer.ok) return answer;
    const { key = "" } = options;
    const next = { name, key, value: answer.left, ts: Date.now() };
    if (row === null) await ctx.db.insert("balances", next);
    else await ctx.db.replace("balances", row._id, next);
    return answer;
  },
};

async function balanceAfter(
  ctx: QueryCtx,
  name: string,
  { key = "", count = 1, config }: Options,
) {
  const { rate, period, capacity = rate } = config;
  const row = await ctx.db
    .query("balances")
    .withIndex("name", (q) => q.eq("name", name).eq("key", key))
    .unique();
  const { value, ts } = row ?? { value: capacity, ts: Date.now() };
  const elapsed = Math.max(0, Date.now() - ts);
  const left = Math.min(capacity, value + (elapsed * rate) / period) - count;
  return { ok: left >= 0, left, row };
}

/** One request of an app that has written its limiter itself. Without steps, it does nothing. */
export const { run, ask } = functionsOf(limiter);
