import { isAsynchronous, type StoredRateLimit } from "../../core/config.js";
import { limitOf, ruleOf } from "../../core/limit.js";
import { isForgotten, type Row } from "../../core/row.js";
import type { LimitKey } from "../../core/vLimitKey.js";
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
 * Opens a limit by the rule by which its key was last written, for a hold whose config came with
 * the call: the key may have another plan by now. Undefined if the key was reset or is forgotten:
 * then it is full, and there is nothing to correct.
 */
export async function openByRule(
  ctx: MutationCtx,
  named: Named<StoredRateLimit>,
  now: number,
): Promise<OpenLimit | undefined> {
  const { name, key, config } = named;
  const opened = await openStored(ctx, named, now);
  const [row] = isAsynchronous(config)
    ? await opened.ledger.read()
    : await firstRow(ctx, named);
  if (row === undefined) return undefined;
  const { rule } = row;
  const [phase] = opened.phases;
  const { limit: before } = phase;
  const { isAuto, headroom, whole } = before;
  const limit =
    rule === undefined
      ? before
      : {
          ...limitOf(name, { ...row, rule }, { headroom, isAuto }),
          others: [whole, ...before.others],
        };
  const ledger = ledgerOf(ctx, { name, key, config }, limit, now);
  if (isForgotten([row], now) && isForgotten(await ledger.look(), now)) {
    return undefined;
  }
  return {
    ...opened,
    phases: [{ ...phase, limit, until: Infinity }],
    ledger,
  };
}

/** Makes row 0 say by which rule it was written, as it goes on to do: see `openByRule`. */
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

async function firstRow(
  ctx: MutationCtx,
  { name, key }: LimitKey,
): Promise<Row[]> {
  const doc = await storedRows(ctx, name, key).first();
  const row = doc === null ? undefined : parseRow(doc);
  return row === undefined ? [] : [row];
}
