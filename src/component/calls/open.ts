import { checkConfig } from "../../core/checkConfig.js";
import type { StoredConfig } from "../../core/config.js";
import { overrideAt, rulesOf, type Rules } from "../../core/rules.js";
import type { Override } from "../../core/vOverride.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import type { Ledger, MakeLedger, Named } from "../ledgers/ledger.js";
import { overridesOf } from "./storedOverrides.js";

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
export type Open = (asked: Named<StoredConfig>) => Promise<Account>;

/** Opens limits for one call, with the ledgers that its module can make. */
export function opener(
  ctx: QueryCtx | MutationCtx,
  makeLedger: MakeLedger,
  now: number,
): Open {
  const open = openerOfStored(ctx, makeLedger, now);
  return async (asked) => {
    checkConfig(asked.name, asked.config);
    return open(asked);
  };
}

/**
 * As {@link opener}, by configs that were stored: they were checked then, and must not fail
 * for what a later release has come to refuse.
 */
export function openerOfStored(
  ctx: QueryCtx | MutationCtx,
  makeLedger: MakeLedger,
  now: number,
): Open {
  return async ({ name, key, config }) => {
    const overrides =
      config.overrides === true
        ? await overridesOf(ctx, name, key, now)
        : undefined;
    const rules = rulesOf(name, key, config, overrides, now);
    const override = overrides && overrideAt(overrides, now);
    const { limit } = rules[0];
    const ledger = makeLedger(ctx, { name, key, config }, limit, now);
    return { name, key, rules, override, ledger, now };
  };
}
