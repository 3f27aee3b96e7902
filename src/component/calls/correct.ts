import { corrected, isWrittenBy } from "../../core/correct.js";
import { isAsynchronous, type StoredRateLimit } from "../../core/config.js";
import { limitOf, remaining, type Limit } from "../../core/limit.js";
import type { Row } from "../../core/row.js";
import { holdings, total } from "../../core/rows.js";
import { isRoot } from "../../core/tree.js";
import { shareReached } from "../../core/warn.js";
import type { MutationCtx } from "../_generated/server.js";
import type { Named } from "../stores/ledger.js";
import { RowLedger } from "../stores/rows/ledger.js";
import { parseRow, storedRows } from "../stores/rows/stored.js";
import { giveBack, takeAnyway } from "./amounts.js";
import { openStored, type OpenLimit } from "./open.js";
import type { Warning } from "./signatures.js";

/** Gives back what a hold did not use, or takes what it used beyond its estimate. Saves. */
export async function settleBy(
  ctx: MutationCtx,
  opened: OpenLimit,
  unused: number,
): Promise<{ warnings?: Warning[] }> {
  const { ledger } = opened;
  if (unused > 0) {
    await giveBack(opened, unused, Math.random);
    await ledger.save(ctx);
    return {};
  }
  const { warnings } = await takeAnyway(opened, -unused, Math.random);
  await ledger.save(ctx);
  return warnings === undefined ? {} : { warnings };
}

/**
 * The same if nobody knows the present config of the limit: only what is stored counts, not the
 * config that the hold was taken by. A limit that is split says its rule. In one row, the balance
 * is corrected without one. A key without rows is full, or has been reset, and stays as it is.
 */
export async function settleByStored(
  ctx: MutationCtx,
  named: Named<StoredRateLimit>,
  unused: number,
  now: number,
): Promise<{ warnings?: Warning[] }> {
  const { name, key, config } = named;
  const { phases, ledger } = await openStored(ctx, named, now);
  const [{ limit }] = phases;
  if (isAsynchronous(config)) {
    const [row] = await ledger.read();
    if (row === undefined) return {};
    const after = corrected(limit, row, unused, now);
    ledger.set([after], -unused);
    await ledger.save(ctx);
    return warningsOf(named, limit, row, after, now);
  }
  const doc = await storedRows(ctx, name, key).first();
  const root = doc === null ? undefined : parseRow(doc);
  if (doc === null || root?.shard !== 0) return {};
  if (isRoot(root)) {
    const byRule = limitOf(name, root, config);
    const ledger = new RowLedger(ctx, named, byRule, now);
    const effect = "limited" as const;
    const phase = { effect, limit: byRule, config, until: Infinity };
    const override = undefined;
    const opened = {
      name,
      key,
      phases: [phase],
      override,
      ledger,
      now,
    } as const;
    return settleBy(ctx, opened, unused);
  }
  const after = corrected(limit, root, unused, now);
  const { value, ts, nextAt, fullAt, usedAt } = after;
  const stored = { value, ts, nextAt, fullAt, usedAt };
  await ctx.db.patch("rateLimits", doc._id, stored);
  return warningsOf(named, limit, root, after, now);
}

/** Warns only if the config that the hold was taken by is the one that the key counts by. */
function warningsOf(
  { name, key, config }: Named<StoredRateLimit>,
  limit: Limit,
  before: Row,
  after: Row,
  now: number,
): { warnings?: Warning[] } {
  const { warnAt } = config;
  if (warnAt === undefined || !isWrittenBy(limit, before)) return {};
  const balanceOf = (row: Row) => total(holdings(limit, [row], now));
  const left = balanceOf(after);
  const share = shareReached(limit, warnAt, balanceOf(before), left);
  if (share === undefined) return {};
  const { capacity } = limit.whole;
  const remains = remaining(limit, left);
  return {
    warnings: [{ name, key, share, limit: capacity, remaining: remains }],
  };
}
