import { v, type Infer } from "convex/values";
import { appends, type StoredConfig } from "../../core/config.js";
import type { Limit } from "../../core/limit.js";
import { overrideAt, rulesOf, type Rules } from "../../core/rules.js";
import { vStoredRateLimit } from "../../core/vConfig.js";
import type { Override } from "../../core/vOverride.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import type { Ledger } from "../ledgers/ledger.js";
import { overridesOf } from "../overrides.js";
import { Leases } from "../ledgers/leases.js";
import { Rows } from "../ledgers/rows.js";
import { Takings } from "../ledgers/takings.js";

/** Whose limit it is, and its config. */
export const vAccount = v.object({
  name: v.string(),
  key: v.optional(v.string()),
  config: vStoredRateLimit,
});

/** The same of a limit of any kind. */
export type Named<Config extends StoredConfig> = Omit<
  Infer<typeof vAccount>,
  "config"
> & { config: Config };

/** A limit and key in one call: what holds for it, and what is stored of it. */
export type Account = {
  name: string;
  key: string | undefined;
  rules: Rules;
  /** The override that holds now, if any. */
  override: Override | undefined;
  ledger: Ledger;
  now: number;
};

/**
 * Opens a limit for a key. Reads its stored overrides, if the config asks for them.
 *
 * @throws An `Error` that names the limit, the field and the value of a bad config.
 */
export async function open(
  ctx: QueryCtx | MutationCtx,
  { name, key, config }: Named<StoredConfig>,
  now: number,
): Promise<Account> {
  const overrides =
    config.overrides === true
      ? await overridesOf(ctx, name, key, now)
      : undefined;
  const rules = rulesOf(name, key, config, overrides, now);
  const override = overrides && overrideAt(overrides, now);
  const ledger = ledgerOf(ctx, { name, key, config }, rules[0].limit, now);
  return { name, key, rules, override, ledger, now };
}

function ledgerOf(
  ctx: QueryCtx | MutationCtx,
  { name, key, config }: Named<StoredConfig>,
  limit: Limit,
  now: number,
): Ledger {
  if (config.kind === "concurrency") return new Leases(ctx, name, key, now);
  if (appends(config)) {
    return new Takings(ctx, { name, key, config }, limit, now);
  }
  return new Rows(ctx, name, key, limit.shards);
}
