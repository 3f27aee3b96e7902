import { CommitTsPlaceholder, jsonToConvex, type Value } from "convex/values";

/** What `db.vars.commitTs` is until the transaction commits. */
export const COMMIT_TS = jsonToConvex({ $commitTs: null });

// In its own transaction's indexes, a placeholder sorts as this value: later than any commit.
const MAX_COMMIT_TS = 2n ** 63n - 1n;

/** The value that an index looks for. A placeholder finds only the transaction's own documents. */
export function atCommit(value: Value | undefined): Value | undefined {
  return value instanceof CommitTsPlaceholder ? MAX_COMMIT_TS : value;
}

/** A value as it is stored: with `commitTs` in place of each placeholder. */
export function resolve(value: Value, commitTs: bigint): Value {
  if (value instanceof CommitTsPlaceholder) return commitTs;
  if (Array.isArray(value)) return value.map((item) => resolve(item, commitTs));
  if (
    typeof value !== "object" ||
    value === null ||
    value instanceof ArrayBuffer
  ) {
    return value;
  }
  return resolveFields(value, commitTs);
}

export function resolveFields<T extends Record<string, Value | undefined>>(
  fields: T,
  commitTs: bigint,
): T {
  let resolved = fields;
  for (const [field, value] of Object.entries(fields)) {
    if (!holdsPlaceholder(value)) continue;
    // Copied only if need be: most documents hold no placeholder.
    resolved = { ...resolved, [field]: resolve(value!, commitTs) };
  }
  return resolved;
}

export function holdsPlaceholder(value: Value | undefined): boolean {
  if (value instanceof CommitTsPlaceholder) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsPlaceholder);
}
