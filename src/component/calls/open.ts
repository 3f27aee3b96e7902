import { checkConfig } from "../../core/checkConfig.js";
import { overrideAt, phasesOf, type Phases } from "../../core/phases.js";
import type { Override } from "../../core/vOverride.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import type { Ledger, Named } from "../stores/ledger.js";
import { ledgerOf } from "../stores/ledgerOf.js";
import { overridesOf } from "../stores/overrides/stored.js";

/** A limit and key in one call: its phases, and the ledger of its state. */
export type OpenLimit = {
  name: string;
  key: string | undefined;
  phases: Phases;
  /** The override that applies now, if any. */
  override: Override | undefined;
  ledger: Ledger;
  now: number;
};

/**
 * Opens a limit for a key. Reads its overrides if the config asks for them.
 *
 * @throws An `Error` that names the limit, the field and the value of a bad config.
 */
export function open(
  ctx: QueryCtx | MutationCtx,
  asked: Named,
  now: number,
): Promise<OpenLimit> {
  checkConfig(asked.name, asked.config);
  return openStored(ctx, asked, now);
}

/**
 * Opens a limit by a stored config, without checking it: it was checked when it was stored.
 */
export async function openStored(
  ctx: QueryCtx | MutationCtx,
  { name, key, config }: Named,
  now: number,
): Promise<OpenLimit> {
  const overrides =
    config.overrides === true
      ? await overridesOf(ctx, name, key, now)
      : undefined;
  const phases = phasesOf(name, key, config, overrides, now);
  const override = overrides && overrideAt(overrides, now);
  const { limit } = phases[0];
  const ledger = ledgerOf(ctx, { name, key, config }, limit, now);
  return { name, key, phases, override, ledger, now };
}
