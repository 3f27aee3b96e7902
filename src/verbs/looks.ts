import { v } from "convex/values";
import type { Row } from "../core/view.js";
import { vLimitKey, vOwn } from "../core/validators.js";
import { internalQuery } from "../component/_generated/server.js";
import { parseRows, queryRows } from "../state/row/stored.js";
import { isOlderSnapshot } from "../state/stale.js";
import { lazily } from "./lazily.js";

/** The stored rows of a limit key; null if the snapshot is older than the mutation's. */
export const storedRows = internalQuery({
  args: lazily(() =>
    vLimitKey().extend({
      snapshot: v.optional(v.int64()),
    }),
  ),
  returns: lazily(() => v.nullable(vOwn<Row[]>())),
  handler: async (ctx, { snapshot, ...limitKey }) =>
    isOlderSnapshot(ctx, snapshot)
      ? null
      : parseRows(await queryRows(ctx, limitKey).collect()),
});
