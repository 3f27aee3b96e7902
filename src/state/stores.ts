import { type Infer, v } from "convex/values";
import type { TableNames } from "../component/_generated/dataModel.js";
import type { MutationCtx } from "../component/_generated/server.js";
import { isBudgetUsed } from "./budget.js";
import { holds } from "./holds/housekeeping.js";
import { overrides } from "./overrides/housekeeping.js";
import { END_CURSOR } from "./pages.js";
import { rows } from "./spread/housekeeping.js";
import { deniedKeys, events, stats } from "./stats/housekeeping.js";
import type { Store } from "./store.js";

/**
 * All tables, in the order in which housekeeping goes through them. This is the one place to add a
 * store to `list`, `clear`, `forget`, `resetAll` and the vacuum.
 *
 * Calls load neither this nor the housekeeping that it imports: `verbs/open.ts` picks their store.
 */
const TABLES: Record<TableNames, Store> = {
  rateLimits: rows,
  overrides,
  holds,
  // Before the denied keys, to which a fold adds those of events.
  events,
  deniedKeys,
  stats,
  // The job of a sweep deletes its row.
  sweeps: {},
};

export const STORES: ReadonlyMap<string, Store> = new Map(
  Object.entries(TABLES),
);

/** Where to continue in each table; `END_CURSOR` if it is done. */
export const vCursors = () => v.record(v.string(), v.string());

export type Cursors = Infer<ReturnType<typeof vCursors>>;

/**
 * Does one batch in each table, up to the first one that takes more.
 *
 * @returns Where to continue; undefined if all is done.
 */
export async function proceed(
  ctx: MutationCtx,
  cursors: Cursors = {},
  batch: (
    store: Store,
    cursor: string,
    table: string,
  ) => Promise<string | undefined> | undefined,
): Promise<Cursors | undefined> {
  const next = { ...cursors };
  for (const [table, store] of STORES) {
    if (next[table] === END_CURSOR) continue;
    if (await isBudgetUsed(ctx)) return next;
    const cursor = await batch(store, next[table] ?? "", table);
    next[table] = cursor ?? END_CURSOR;
    if (cursor !== undefined) return next;
  }
  return undefined;
}
