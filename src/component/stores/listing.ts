import type { Row } from "../../core/rows.js";
import type { NamedLimits } from "../../core/vConfig.js";
import type { LimitKey } from "../../core/vLimitKey.js";

/** What `list` is asked for. */
export type Asked = {
  limits: NamedLimits;
  /** Only the keys of this limit. */
  name?: string;
  order?: "key" | "depleted";
  /** Only keys that begin with it. Needs a name and the order by key. */
  prefix?: string;
};

/** A key in use, where it was found, and its rows if they have been read. */
export type InUse = LimitKey & {
  store: "rows" | "debits" | "leases";
  rows?: Row[];
};

/** A limit and key, if its key begins with the prefix: else it comes after all that do. */
export function within(
  prefix: string | undefined,
  found: LimitKey | null,
): LimitKey | undefined {
  if (found === null) return undefined;
  const { name, key } = found;
  return key?.startsWith(prefix ?? "") === false ? undefined : { name, key };
}

/** The first text after all that begin with the prefix; undefined if there is none. */
export function endOf(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Half of a surrogate pair is no character.
  points.push(last === 0xd7ff ? 0xe000 : last + 1);
  return String.fromCodePoint(...points);
}
