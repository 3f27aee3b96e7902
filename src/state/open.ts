import type { Phases } from "../core/phases.js";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";
import { Leases } from "./holds/leases.js";
import { OneRow } from "./one/one.js";
import { isIdle } from "./row/row.js";
import { parseRow, queryRows } from "./row/stored.js";
import { Spread } from "./spread/spread.js";
import type { KeyState, Target } from "./state.js";

/** Opens the state of a limit key: the one place that tells leases, one row and a spread apart. */
export async function openState(
  ctx: QueryCtx | MutationCtx,
  { name, key, config }: Target,
  phases: Phases,
  now: number,
): Promise<KeyState> {
  if (config.kind === "concurrency") {
    return new Leases(ctx, { name, key }, phases, now);
  }
  const target = { name, key, config };
  // The first row of the key: row 0, or a sign that there are others without it.
  const first = await queryRows(ctx, target).first();
  if (first === null) return new OneRow(target, phases, now, {});
  const row = parseRow(first);
  // `@convex-dev/rate-limiter` stores no `fullAt`, and may have stored other rows.
  const isOne =
    row?.shard === 0 && row.into === undefined && row.fullAt !== undefined;
  if (!isOne) return Spread.open(ctx, target, phases, now, first);
  // An idle key begins anew: its row only waits to be deleted.
  const isNew = isIdle(row.fullAt, now);
  const stored = { id: first._id, row: isNew ? undefined : row };
  return new OneRow(target, phases, now, stored);
}
