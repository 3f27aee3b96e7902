import { v } from "convex/values";
import { stream } from "convex-helpers/server/stream";
import { paginationOptsValidator } from "convex/server";
import { hasEnded } from "../core/phases.js";
import { vListedOverride } from "../core/validators.js";
import type { Doc } from "../component/_generated/dataModel.js";
import { query } from "../component/_generated/server.js";
import schema from "../component/schema.js";
import { overridesIn, toListed } from "../state/overrides/stored.js";
import { listOf, readInTurn, requireNumItems } from "../state/pages.js";
import { vPageOf } from "./list.js";

/**
 * The overrides that have not ended, of one limit or of all, by name and key, a page at a time.
 * With `key`, only those of that key; with `key: null`, only those of the whole limit. Reads the
 * rows of the page, and the ended ones between them.
 */
export const listOverrides = query({
  args: {
    name: v.optional(v.string()),
    key: v.optional(v.nullable(v.string())),
    paginationOpts: paginationOptsValidator,
  },
  returns: vPageOf(vListedOverride()),
  handler: async (ctx, { name, key: only, paginationOpts }) => {
    requireNumItems(paginationOpts);
    if (only !== undefined && name === undefined) {
      throw new Error("listOverrides: a key needs a name.");
    }
    const now = Date.now();
    const rows = stream(ctx.db, schema)
      .query("overrides")
      .withIndex("name", (q) => {
        if (name === undefined) return q;
        const ofName = q.eq("name", name);
        return only === undefined
          ? ofName
          : ofName.eq("key", only ?? undefined);
      });
    const lists = [listOf(rows, async (row) => row)];
    const show = async (row: Doc<"overrides">) =>
      hasEnded(row, now)
        ? null
        : overridesIn(row, now).toReversed().map(toListed);
    const read = await readInTurn(ctx, lists, show, paginationOpts);
    return { ...read, page: read.page.flat() };
  },
});
