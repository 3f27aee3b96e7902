import type { StoredConfig } from "../../core/config.js";
import type { Row } from "../../core/row.js";
import type { NamedLimits } from "../../core/vConfig.js";
import type { LimitKey } from "../../core/vLimitKey.js";

/** The arguments of `list`, without those of the page. */
export type Asked = {
  limits: NamedLimits;
  /** Only the keys of this limit. */
  name?: string;
  order?: "key" | "depleted";
  /** Only keys that begin with it. Needs a name and the order by key. */
  prefix?: string;
};

/**
 * A key in use, where it was found, its rows if they have been read, and the config that is stored
 * with them, if any.
 */
export type InUse = LimitKey & {
  store: "rows" | "debits" | "leases";
  rows?: Row[];
  config?: StoredConfig;
};

/**
 * The limit and key that was found; undefined if its key lacks the prefix, since it then comes
 * after all keys that have it.
 */
export function within(
  prefix: string | undefined,
  found: LimitKey | null,
): LimitKey | undefined {
  if (found === null) return undefined;
  const { name, key } = found;
  return key?.startsWith(prefix ?? "") === false ? undefined : { name, key };
}

/** The first string after all those that begin with the prefix; undefined if there is none. */
export function endOf(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Surrogates are not characters, so skip them.
  points.push(last === 0xd7ff ? 0xe000 : last + 1);
  return String.fromCodePoint(...points);
}
