import { remaining } from "../../core/limit.js";
import { holdings, total, type Row } from "../../core/rows.js";
import { shareReached } from "../../core/warn.js";
import type { Account } from "./open.js";
import type { Warning } from "./signatures.js";

/**
 * Notes what a grant writes, and says which share of the capacity it is the first to use, if
 * the limit warns of it.
 */
export async function noteGrant(
  account: Account,
  writes: readonly Row[],
): Promise<Warning[]> {
  const { name, key, rules, ledger } = account;
  const [{ limit, config }] = rules;
  const { warnAt } = config;
  if (warnAt === undefined || writes.length === 0) {
    ledger.set(writes);
    return [];
  }
  const before = await balanceOf(account);
  ledger.set(writes);
  const after = await balanceOf(account);
  const share = shareReached(limit, warnAt, before, after);
  if (share === undefined) return [];
  const { capacity } = limit.whole;
  const left = remaining(limit, after);
  return [{ name, key, share, limit: capacity, remaining: left }];
}

/** What the limit holds, by the rows that have been read. */
async function balanceOf({ rules, ledger, now }: Account): Promise<number> {
  return total(holdings(rules[0].limit, await ledger.look(), now));
}
