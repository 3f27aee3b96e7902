import { v } from "convex/values";
import type { Row } from "../core/rows.js";
import { vLimitKey, vOwn } from "../core/validators.js";
import { internalQuery } from "../component/_generated/server.js";
import { parseRows, queryRows } from "../stores/rows/stored.js";
import { isOlderSnapshot } from "../stores/stale.js";
import { lazily } from "./lazily.js";

/**
 * The stored rows of a limit key, all of them or a range; null if the snapshot is older than the
 * mutation's.
 */
export const storedRows = internalQuery({
  args: lazily(() =>
    vLimitKey().extend({
      range: v.optional(v.object({ first: v.number(), size: v.number() })),
      snapshot: v.optional(v.int64()),
    }),
  ),
  returns: lazily(() => v.nullable(vOwn<Row[]>())),
  handler: async (ctx, { range, snapshot, ...limitKey }) =>
    isOlderSnapshot(ctx, snapshot)
      ? null
      : parseRows(await queryRows(ctx, limitKey, range).collect()),
});
