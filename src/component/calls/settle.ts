import { isAsynchronous, type StoredRateLimit } from "../../core/config.js";
import { limitOf } from "../../core/limit.js";
import { isForgotten, type Row } from "../../core/row.js";
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
 * The same for a hold whose limit has no present config that is known: the config came with the
 * call, and the key may have another plan by now. So it is settled by the rule by which the key was
 * last written, or if row 0 says none, by the config. A key that is forgotten, or was reset, is full:
 * there is nothing to correct.
 */
export async function settleByStored(
  ctx: MutationCtx,
  named: Named<StoredRateLimit>,
  unused: number,
  now: number,
): Promise<Warning[] | undefined> {
  const { name, key, config } = named;
  const opened = await openStored(ctx, named, now);
  const doc = isAsynchronous(config)
    ? undefined
    : await storedRows(ctx, name, key).first();
  const [row] = doc === undefined ? await opened.ledger.read() : parsed(doc);
  if (row === undefined) return undefined;
  const { rule } = row;
  const [phase] = opened.phases;
  const { limit } = phase;
  if (rule === undefined) return settleOn(ctx, opened, unused);
  const byRule = limitOf(name, { ...row, rule }, limit);
  const known = { ...byRule, others: [limit.whole, ...limit.others] };
  const ledger = ledgerOf(ctx, named, known, now);
  if (isForgotten([row], now) && isForgotten(await ledger.look(), now)) {
    return undefined;
  }
  const last = { ...phase, limit: known, until: Infinity };
  return settleOn(ctx, { ...opened, phases: [last], ledger }, unused);
}

function parsed(doc: Doc<"rateLimits"> | null): Row[] {
  const row = doc === null ? undefined : parseRow(doc);
  return row === undefined ? [] : [row];
}
