import type { Infer } from "convex/values";
import {
  toRateLimitConfig,
  type StoredRefillingConfig,
} from "../core/config.js";
import { toHoldId } from "../core/holdId.js";
import { configByRule, ruleOf, toLimit } from "../core/limit.js";
import { DAY } from "../core/periods.js";
import {
  checkConfig,
  reject,
  ABOVE_0,
  AT_LEAST_0,
  requireOnce,
  requireValue,
} from "../core/checks.js";
import { isIdle } from "../core/rows.js";
import type { GivenConfig } from "../core/validators.js";
import type { Doc } from "../component/_generated/dataModel.js";
import type { MutationCtx } from "../component/_generated/server.js";
import {
  isLease,
  isRunning,
  renewLease,
  holdsWithOnce,
} from "../stores/holds/ledger.js";
import type { Target } from "../stores/ledger.js";
import { parseRow, queryRows } from "../stores/rows/stored.js";
import { creditTokens, chargeTokens } from "./adjust.js";
import type { Decided } from "./decideAll.js";
import { takeAll } from "./takeAll.js";
import { type OpenLimit, openChecked } from "./open.js";
import type { HoldAllAnswer, vHoldRequest, Warning } from "./signatures.js";

type GivenRequest = Infer<ReturnType<typeof vHoldRequest>>;
type HoldRequest = Omit<GivenRequest, "config"> & Target;

/** Convex's scheduler refuses a longer delay. */
const MAX_WAIT = 5 * 365 * DAY;

/** The answer if the `once` of every request was granted before. */
const ALREADY_HELD: Awaited<ReturnType<typeof takeAll>> = {
  answer: { ok: true },
  taken: [],
  decided: [],
};

/**
 * Grants all requests or none, as `limitAll` does, and stores each grant as a hold, so that it can
 * be settled once. A request whose `once` has been granted before takes nothing.
 *
 * @param defaultLength How long a hold can be settled, in ms, if its request has no `expiresAfter`.
 * A lease lasts as long as the `lease` of its config.
 * @param seed See `seedField`.
 */
export async function takeHolds(
  ctx: MutationCtx,
  given: readonly GivenRequest[],
  defaultLength: number = DAY,
  seed?: number,
): Promise<HoldAllAnswer> {
  const now = Date.now();
  const requests = given.map(withCheckedConfig);
  const lengths = requests.map((request) => lengthOf(request, defaultLength));
  for (const { name, count = 1 } of requests) {
    requireValue(name, "count", AT_LEAST_0, count);
  }
  checkOnces(requests);
  const before = await heldBefore(ctx, requests, now);
  const fresh = [...requests.keys()].filter((i) => !before.has(i));
  const freshRequests = fresh.map((i) => {
    const { expiresAfter: _, once: __, ...request } = requests[i]!;
    return request;
  });
  const isAllHeld = before.size > 0 && fresh.length === 0;
  const { answer, taken, decided } = isAllHeld
    ? ALREADY_HELD
    : await takeAll(ctx, freshRequests, { seed }, now);
  if (!answer.ok) {
    const { index, name } = answer.blockedBy;
    return { ...answer, blockedBy: { index: fresh[index]!, name } };
  }
  const { retryAfter = 0, spared } = answer;
  if (retryAfter > MAX_WAIT) {
    throw new Error(
      `Rate limit ${requests[0]!.name}: the reserved tokens arrive in ${retryAfter} ms, more than five years from now.`,
    );
  }
  const ids: string[] = [];
  for (const [i, hold] of before) {
    if (isLease(hold)) await renewLease(ctx, hold, now);
    ids[i] = toHoldId(hold._id, hold.name);
  }
  for (const [n, i] of fresh.entries()) {
    const { name, key, config, count, once } = requests[i]!;
    const tookNothing = taken[n] === 0 && count !== 0;
    const docId = await ctx.db.insert("holds", {
      name,
      key,
      config,
      taken: tookNothing ? undefined : taken[n],
      shard: shardOf(decided, n),
      expiresAt: now + retryAfter + lengths[i]!,
      once,
    });
    ids[i] = toHoldId(docId, name);
  }
  return {
    ...answer,
    ...(spared && { spared: spared.map((n) => fresh[n]!) }),
    ids,
    ...(before.size > 0 && { heldBefore: [...before.keys()] }),
  };
}

/** @throws An `Error` if a request has a bad config. */
function withCheckedConfig({ config, ...request }: GivenRequest): HoldRequest {
  checkConfig(request.name, config);
  return { ...request, config };
}

/** The row below row 0 that gave a request its tokens, if one did. */
function shardOf(
  decided: readonly Decided[],
  index: number,
): number | undefined {
  const own = decided.find(({ indexes }) => indexes.includes(index));
  const writes = own?.decision.ok === true ? own.decision.writes : [];
  const [{ shard } = { shard: 0 }, ...others] = writes;
  return shard > 0 && others.length === 0 ? shard : undefined;
}

/**
 * The existing holds with the `once` of a request, by the request's index: those that have not
 * expired and were not released.
 */
async function heldBefore(
  ctx: MutationCtx,
  requests: readonly HoldRequest[],
  now: number,
): Promise<Map<number, Doc<"holds">>> {
  const before = new Map<number, Doc<"holds">>();
  for (const [i, { name, key, config, once }] of requests.entries()) {
    if (once === undefined) continue;
    const holds = await holdsWithOnce(ctx, { name, key }, once, now);
    // The limit may have been of another kind when it was taken.
    const wantsLease = config.kind === "concurrency";
    const hold = holds.findLast((one) => isLease(one) === wantsLease);
    if (hold === undefined) continue;
    if (isLease(hold) && !(await isRunning(ctx, hold, now))) continue;
    before.set(i, hold);
  }
  return before;
}

/** @throws An `Error` if a `once` is empty or too long, or repeats another one in the list. */
function checkOnces(requests: readonly HoldRequest[]): void {
  const seen = new Set<string>();
  for (const { name, key, once } of requests) {
    if (once === undefined) continue;
    requireOnce(name, once);
    const id = JSON.stringify([name, key, once]);
    if (seen.has(id)) {
      throw new Error(
        `Rate limit ${name} comes twice in the list for the same key, with the same once.`,
      );
    }
    seen.add(id);
  }
}

/** How long a hold lasts, in ms. For a lease, the `lease` of the config. */
function lengthOf(
  { name, config, expiresAfter }: HoldRequest,
  defaultLength: number,
): number {
  requireValue(name, "expiresAfter", ABOVE_0, expiresAfter ?? defaultLength);
  if (config.kind !== "concurrency") return expiresAfter ?? defaultLength;
  if (expiresAfter === undefined) return config.lease;
  const wanted = "absent, since the limit has a lease";
  reject(name, "expiresAfter", wanted, expiresAfter);
}

type Settled = { settled: boolean; warnings?: Warning[] | undefined };

/**
 * Ends a hold once, and corrects the balance by what it did not use, or used beyond its count.
 *
 * @param current The config that its limit has now, if known.
 */
export async function endHold(
  ctx: MutationCtx,
  hold: Doc<"holds"> | null,
  used: number,
  current: GivenConfig | undefined,
): Promise<Settled> {
  const now = Date.now();
  if (hold === null || hold.isSettled === true || hold.expiresAt <= now) {
    return { settled: false };
  }
  const { _id, name, key, config, taken, shard } = hold;
  if (config.kind === "concurrency") {
    if (used !== 0 && used !== taken) throw onlyReleasedError(name, used);
    // Deleting a lease frees its tokens.
    await ctx.db.delete("holds", _id);
    return { settled: true };
  }
  if (current !== undefined) checkConfig(name, current);
  // Kept, so that a retry of work that has used tokens does not hold again.
  if (hold.once !== undefined && used > 0) {
    await ctx.db.patch("holds", _id, { isSettled: true });
  } else await ctx.db.delete("holds", _id);
  if (taken === undefined || taken === used) return { settled: true };
  const known = current?.kind === "concurrency" ? undefined : current;
  const opened = await openToSettle(ctx, { name, key, config }, known, now);
  if (used > taken) {
    const { warnings } = await chargeTokens(ctx, opened, used - taken);
    return { settled: true, warnings };
  }
  // To the row that gave them, if that is known.
  await creditTokens(ctx, opened, taken - used, shard);
  return { settled: true };
}

/** @throws An `Error` that names the verb and the value. */
export function requireUsed(verb: string, count: number | undefined): void {
  if (count !== undefined && Number.isFinite(count) && count >= 0) return;
  throw new Error(
    `${verb}: count must be a finite number of at least 0, but is ${count}.`,
  );
}

export function onlyReleasedError(name: string, count: number): Error {
  return new Error(
    `Rate limit ${name}: holds of a concurrency limit are released, not settled, but count is ${count}.`,
  );
}

/**
 * Opens the limit of a hold by the config that its limit has now, if known, otherwise by the config
 * of the hold. A key that is in use, and was last called with a config of its own, may be on
 * another plan since then: if so, by that plan. The overrides are those in force now.
 */
async function openToSettle(
  ctx: MutationCtx,
  target: Target<StoredRefillingConfig>,
  known: StoredRefillingConfig | undefined,
  now: number,
): Promise<OpenLimit> {
  const { name, key, config } = target;
  const current = { ...target, config: known ?? config };
  const opened = await openChecked(ctx, current, now);
  if (known !== undefined && config.isInline !== true) return opened;
  const doc = await queryRows(ctx, target).first();
  const row = doc === null ? undefined : parseRow(doc);
  if (row?.plan === undefined) return opened;
  const held = toLimit(name, config, key);
  if (row.plan === ruleOf(held)) return openChecked(ctx, target, now);
  if (isIdle(await opened.ledger.look(), now)) return opened;
  const { start: _, ...rest } = toRateLimitConfig(config);
  const byPlan = { ...rest, ...configByRule(row.plan, row.ts) };
  const reopened = await openChecked(ctx, { name, key, config: byPlan }, now);
  const { limit } = reopened.phases[0];
  // The key is idle only once it is full by the hold's config, too.
  limit.knownWholes = [...limit.knownWholes, held.whole];
  return reopened;
}
