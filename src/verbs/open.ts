import type { Infer } from "convex/values";
import { checkConfig, requireShortList } from "../core/checks.js";
import { limitKeyId } from "../core/limitKey.js";
import { type Phases, phasesOf } from "../core/phases.js";
import type { GivenConfig } from "../core/validators.js";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";
import { openState } from "../state/open.js";
import type { KeyState, Target } from "../state/state.js";
import { overridesOf } from "../state/overrides/stored.js";
import type { vRequest } from "./signatures.js";

/** A limit key in one call: its phases, and its state. */
export type OpenLimit = {
  name: string;
  key: string | undefined;
  phases: Phases;
  /** Opens the state, once. A key that has no limit now needs none. */
  state: () => Promise<KeyState>;
  now: number;
};

/**
 * Opens a limit for a key. Reads its overrides if the config asks for them.
 *
 * @throws An `Error` that names the limit, the field and the value of a bad config.
 */
export function open(
  ctx: QueryCtx | MutationCtx,
  { name, key, config }: Target<GivenConfig>,
  now: number,
): Promise<OpenLimit> {
  checkConfig(name, config);
  return openChecked(ctx, { name, key, config }, now);
}

/** Opens a limit with a config that has been checked: by the caller, or when it was stored. */
export async function openChecked(
  ctx: QueryCtx | MutationCtx,
  target: Target,
  now: number,
): Promise<OpenLimit> {
  const { name, key, config } = target;
  const overrides =
    config.overrides === true ? await overridesOf(ctx, target, now) : [];
  const phases = phasesOf(name, key, config, overrides, now);
  let opened: Promise<KeyState> | undefined;
  const state = () => (opened ??= openState(ctx, target, phases, now));
  return { name, key, phases, state, now };
}

/** A request to one limit. */
export type LimitRequest = Omit<Infer<ReturnType<typeof vRequest>>, "config"> &
  Target<GivenConfig>;

/**
 * Groups the requests of a list by limit key, as indexes into the list.
 *
 * @throws An `Error` if the list is empty or too long, or if a limit key comes with different
 * configs.
 */
export function byLimitKey(requests: readonly LimitRequest[]): number[][] {
  if (requests.length === 0) throw new Error("The list of limits is empty.");
  requireShortList(requests);
  const groups = new Map<string, number[]>();
  requests.forEach(({ name, key, config }, index) => {
    const id = limitKeyId({ name, key });
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [index]);
    else if (isSame(config, requests[group[0]!]!.config)) group.push(index);
    else {
      throw new Error(
        `Rate limit ${name} comes twice in the list for the same key, with different configs.`,
      );
    }
  });
  return [...groups.values()];
}

function isSame(a: GivenConfig, b: GivenConfig): boolean {
  const text = (config: GivenConfig) =>
    JSON.stringify(Object.entries(config).sort());
  return a === b || text(a) === text(b);
}
