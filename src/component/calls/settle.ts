import { isAsynchronous, type StoredRateLimit } from "../../core/config.js";
import { limitOf, ruleOf } from "../../core/limit.js";
import { isForgotten, type Row } from "../../core/row.js";
import { corrected } from "../../core/rows.js";
import type { Doc } from "../_generated/dataModel.js";
import type { MutationCtx } from "../_generated/server.js";
import type { Named } from "../stores/ledger.js";
import { ledgerOf } from "../stores/ledgerOf.js";
import { parseRow, storedRows } from "../stores/rows/stored.js";
import { giveBack, takeAnyway } from "./amounts.js";
import { openStored, type OpenLimit } from "./open.js";
import type { Warning } from "./signatures.js";

/** Gives back what a hold did not use, or takes what it used beyond its estimate. Saves. */
export async function settleOn(
  ctx: MutationCtx,
  opened: OpenLimit,
  unused: number,
): Promise<Warning[] | undefined> {
  let warnings: Warning[] | undefined;
  if (unused > 0) await giveBack(opened, unused, Math.random);
  else ({ warnings } = await takeAnyway(opened, -unused, Math.random));
  await opened.ledger.save(ctx);
  return warnings;
}

/**
 * The same for a hold whose limit has no known current config: the config came with the call, and
 * the key may have another plan by now. So it is settled by the rule of the key's last write. A key
 * that is forgotten, or was reset, is full: there is nothing to correct.
 */
export async function settleByStored(
  ctx: MutationCtx,
  { name, key, config, isInline }: Named<StoredRateLimit> & Inline,
  unused: number,
  now: number,
): Promise<Warning[] | undefined> {
  const named = { name, key, config };
  const opened = await openStored(ctx, named, now);
  const doc = isAsynchronous(config)
    ? undefined
    : await storedRows(ctx, name, key).first();
  const [row] = doc === undefined ? await opened.ledger.read() : parsed(doc);
  if (row === undefined) return undefined;
  const { rule } = row;
  const [phase] = opened.phases;
  const { limit } = phase;
  if (rule === undefined) {
    if (!isInline || !doc) return settleOn(ctx, opened, unused);
    // The key was reset or forgotten meanwhile, and used anew.
    const { _id } = doc;
    const { value, ts, fullAt } = corrected(limit, row, unused, now);
    await ctx.db.patch("rateLimits", _id, { value, ts, fullAt });
    return undefined;
  }
  const { isAuto, headroom, whole } = limit;
  const byRule = limitOf(name, { ...row, rule }, { headroom, isAuto });
  const known = { ...byRule, others: [whole, ...limit.others] };
  const ledger = ledgerOf(ctx, named, known, now);
  if (isForgotten([row], now) && isForgotten(await ledger.look(), now)) {
    return undefined;
  }
  const last = { ...phase, limit: known, until: Infinity };
  return settleOn(ctx, { ...opened, phases: [last], ledger }, unused);
}

/** Whether the config came with the call. */
type Inline = Pick<Doc<"holds">, "isInline">;

/** Makes row 0 store its rule, and go on storing it with each write: see `settleByStored`. */
export async function keepRule(
  ctx: MutationCtx,
  { name, key, config }: Named<StoredRateLimit>,
): Promise<void> {
  const doc = await storedRows(ctx, name, key).first();
  if (doc?.shard !== 0 || doc.rule !== undefined) return;
  const { phases } = await openStored(ctx, { name, key, config }, Date.now());
  const rule = ruleOf(phases[0].limit);
  await ctx.db.patch("rateLimits", doc._id, { rule });
}

function parsed(doc: Doc<"rateLimits"> | null): Row[] {
  const row = doc === null ? undefined : parseRow(doc);
  return row === undefined ? [] : [row];
}
