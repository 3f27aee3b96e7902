import { SECOND } from "convex-rate-limiter";
import { v, type Infer } from "convex/values";
import { internal } from "./_generated/api.js";
import type { Id } from "./_generated/dataModel.js";
import {
  action,
  internalMutation,
  mutation,
  query,
  type MutationCtx,
  type QueryCtx,
} from "./_generated/server.js";
import { RENDER_LEASE_MS, rateLimiter } from "./rateLimiter.js";
import { requireSession } from "./session.js";

/** Longer than the lease: a render lives on renewing it. */
const WORK_MS = 7 * SECOND;

const vRefused = v.object({ ok: v.literal(false), retryAfter: v.number() });
const vStarted = v.union(v.object({ ok: v.literal(true) }), vRefused);
type Started = Infer<typeof vStarted>;

const target = { session: v.string(), label: v.string() };

/** A stand-in for work that takes its time. */
function work(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Renders if there is a place; refused, it does nothing. */
export const render = action({
  args: target,
  returns: vStarted,
  handler: async (ctx, { session, label }): Promise<Started> => {
    const key = requireSession(session);
    const status = await rateLimiter.whileHolding(
      ctx,
      "render",
      { key },
      async () => {
        const id: Id<"renders"> = await ctx.runMutation(
          internal.renders.begin,
          { session, label },
        );
        await work(WORK_MS);
        await ctx.runMutation(internal.renders.end, { id });
      },
    );
    return status.ok ? { ok: true } : status;
  },
});

/**
 * A render whose machine goes down: it neither renews what it holds nor releases it. Nobody
 * has to notice. Its place is free when its lease ends.
 */
export const crash = mutation({
  args: target,
  returns: vStarted,
  handler: async (ctx, args): Promise<Started> => {
    const key = requireSession(args.session);
    const held = await rateLimiter.hold(ctx, "render", { key });
    if (!held.ok) return { ok: false, retryAfter: held.retryAfter };
    await insert(ctx, args, RENDER_LEASE_MS, true);
    return { ok: true };
  },
});

export const begin = internalMutation({
  args: target,
  returns: v.id("renders"),
  handler: (ctx, args) => insert(ctx, args, WORK_MS),
});

export const end = internalMutation({
  args: { id: v.id("renders") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const isThere = (await ctx.db.get("renders", id)) !== null;
    if (isThere) await ctx.db.delete("renders", id);
    return null;
  },
});

/** What has a place, and what the limiter says of the places. */
export const list = query({
  args: { session: v.string() },
  handler: async (ctx, args) => {
    const session = requireSession(args.session);
    const renders = await rendersOf(ctx, session);
    return {
      renders: renders.map(
        ({ _id, _creationTime, label, place, until, crashed }) => ({
          id: _id,
          label,
          place,
          beganAt: _creationTime,
          until,
          crashed: crashed === true,
        }),
      ),
      places: await rateLimiter.getValue(ctx, "render", { key: session }),
    };
  },
});

function rendersOf(ctx: QueryCtx, session: string) {
  return ctx.db
    .query("renders")
    .withIndex("session", (q) => q.eq("session", session))
    .take(20);
}

/** Notes a render in the first place that no other has. */
async function insert(
  ctx: MutationCtx,
  { session, label }: { session: string; label: string },
  ms: number,
  crashed?: true,
): Promise<Id<"renders">> {
  const now = Date.now();
  const taken = new Set<number>();
  for (const { _id, until, crashed, place } of await rendersOf(ctx, session)) {
    // One that did not end has not been heard of for a whole lease.
    const isOver = now >= (crashed === true ? until : until + RENDER_LEASE_MS);
    if (isOver) await ctx.db.delete("renders", _id);
    else taken.add(place);
  }
  let place = 0;
  while (taken.has(place)) place++;
  return ctx.db.insert("renders", {
    session,
    label: label.slice(0, 40),
    place,
    until: now + ms,
    ...(crashed && { crashed }),
  });
}
