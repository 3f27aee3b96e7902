import type { Infer } from "convex/values";
import type { StoredConfig } from "../../core/config.js";
import type { Demand } from "../../core/grant.js";
import { idOf } from "../../core/hash.js";
import { resolutionOf, type Limit } from "../../core/limit.js";
import { reject, requireAtLeast0 } from "../../core/reject.js";
import type { Named } from "../stores/ledger.js";
import type { vAlone } from "./signatures.js";

/** A request to one limit. */
export type Request = Omit<Infer<ReturnType<typeof vAlone>>, "config"> & Named;

/**
 * Checks a request and fills in its defaults.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function toDemand(
  limit: Limit,
  { count = 1, reserve = false, leave = 0, upTo = false }: Request,
): Demand {
  requireCount(limit, count);
  if (limit.kind === "concurrency" && reserve) {
    throw new Error(
      `Rate limit ${limit.name}: what is held cannot be reserved. Its kind is "concurrency".`,
    );
  }
  requireAtLeast0(limit.name, "leave", leave);
  if (upTo && reserve) {
    throw new Error(
      `Rate limit ${limit.name}: upTo and reserve exclude each other.`,
    );
  }
  if (upTo && count < 1) {
    reject(limit.name, "count", "at least 1 with upTo", count);
  }
  return {
    count: upTo ? Math.floor(count) : count,
    // A request that must leave tokens cannot make a debt.
    debt: reserve && leave === 0 ? "reserve" : "none",
    leave: Math.max(leave, limit.headroom),
    upTo,
  };
}

/** @throws An `Error` that names the limit and the value. */
export function requireCount(limit: Limit, count: number): void {
  const { name, whole } = limit;
  requireAtLeast0(name, "count", count);
  const least = resolutionOf(whole.capacity);
  if (count > 0 && count <= least) {
    reject(name, "count", `0, or above ${least}: its capacity is large`, count);
  }
}

/**
 * Groups the requests of a list by limit and key, as indexes into the list.
 *
 * @throws An `Error` if the list is empty, or if a limit and key comes with different configs.
 */
export function byLimitKey(requests: readonly Request[]): number[][] {
  if (requests.length === 0) throw new Error("The list of limits is empty.");
  if (requests.length === 1) return [[0]];
  const groups = new Map<string, number[]>();
  requests.forEach(({ name, key, config }, index) => {
    const id = idOf({ name, key });
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

function isSame(a: StoredConfig, b: StoredConfig): boolean {
  const text = (config: StoredConfig) =>
    JSON.stringify(Object.entries(config).sort());
  return a === b || text(a) === text(b);
}
