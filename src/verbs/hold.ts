import { v, type Infer } from "convex/values";
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
  requireCount,
  requireField,
  requireOnce,
  requireShortList,
  requireUsed,
} from "../core/checks.js";
import {
  type GivenConfig,
  vGivenConfig,
  vNamedLimits,
} from "../core/validators.js";
import type { Doc, Id } from "../component/_generated/dataModel.js";
import { mutation, type MutationCtx } from "../component/_generated/server.js";
import {
  findHold,
  isLease,
  isRunning,
  renewedUntil,
  holdsWithOnce,
  toDocId,
} from "../state/holds/leases.js";
import type { Target } from "../state/state.js";
import { creditTokens, chargeTokens } from "./adjust.js";
import type { Charged } from "./creditAndCharge.js";
import { takeAll } from "./takeAll.js";
import { type OpenLimit, openChecked } from "./open.js";
import { lazily } from "./lazily.js";
import {
  seedField,
  vAllDenied,
  vGranted,
  vRequestItem,
  warningsField,
} from "./signatures.js";

/** A request to `holdAll`. */
const vHoldRequest = () =>
  v.object({
    ...vRequestItem().fields,
    config: vGivenConfig(),
    /** How long it can be settled after its tokens exist, in ms; by default a day. */
    expiresAfter: v.optional(v.number()),
    /** The caller's id of the work, so that the work holds only once. */
    once: v.optional(v.string()),
  });

type GivenRequest = Infer<ReturnType<typeof vHoldRequest>>;
type HoldRequest = Omit<GivenRequest, "config"> & Target;

/** The answer to several holds. */
const vHoldAllAnswer = () =>
  v.union(
    vGranted()
      .omit("taken", "limit", "remaining", "resetAfter")
      .extend({
        ids: v.array(v.string()),
        /** The indexes of the requests whose `once` has been granted before. */
        heldBefore: v.optional(v.array(v.number())),
      }),
    vAllDenied(),
  );
type HoldAllAnswer = Infer<ReturnType<typeof vHoldAllAnswer>>;

/**
 * Takes tokens as `limitAll` does, and stores each grant so that it can be settled once. A
 * concurrency limit's tokens are held until they are released or the lease ends.
 */
export const holdAll = mutation({
  args: lazily(() =>
    v.object({
      limits: v.array(vHoldRequest()),
      /** For requests without their own. */
      expiresAfter: v.optional(v.number()),
      ...seedField(),
    }),
  ),
  returns: lazily(vHoldAllAnswer),
  handler: (ctx, { limits, expiresAfter, seed }) =>
    takeHolds(ctx, limits, expiresAfter, seed),
});

/** Convex's scheduler refuses a longer delay. */
const MAX_WAIT = 5 * 365 * DAY;

/**
 * A request whose `once` has been granted before takes nothing.
 *
 * @param defaultLength How long a hold can be settled, in ms, if its request has no `expiresAfter`.
 * A lease lasts as long as the `lease` of its config.
 * @param seed See `seedField`.
 */
async function takeHolds(
  ctx: MutationCtx,
  given: readonly GivenRequest[],
  defaultLength: number = DAY,
  seed?: number,
): Promise<HoldAllAnswer> {
  const now = Date.now();
  const requests = given.map(withCheckedConfig);
  const lengths = requests.map((request) => lengthOf(request, defaultLength));
  for (const { name, count = 1 } of requests) {
    requireCount(name, "hold", count);
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
    ? { answer: { ok: true } as const, taken: [], decided: [] }
    : await takeAll(ctx, freshRequests, { seed }, now, true);
  if (!answer.ok) {
    const { index, name } = answer.blockedBy;
    return { ...answer, blockedBy: { index: fresh[index]!, name } };
  }
  const { retryAfter = 0, letThrough } = answer;
  if (retryAfter > MAX_WAIT) {
    throw new Error(
      `Rate limit ${requests[0]!.name}: the reserved tokens arrive in ${retryAfter} ms, more than five years from now.`,
    );
  }
  const ids: string[] = [];
  for (const [i, hold] of before) {
    ids[i] = toHoldId(await takeOver(ctx, hold, now), hold.name);
  }
  for (const [n, i] of fresh.entries()) {
    const { name, key, config, count, once } = requests[i]!;
    const tookNothing = taken[n] === 0 && count !== 0;
    const docId = await ctx.db.insert("holds", {
      name,
      key,
      config,
      taken: tookNothing ? undefined : taken[n],
      place: decided.find(({ indexes }) => indexes.includes(n))?.saved?.place,
      expiresAt: now + retryAfter + lengths[i]!,
      once,
    });
    ids[i] = toHoldId(docId, name);
  }
  return {
    ...answer,
    ...(letThrough && { letThrough: letThrough.map((n) => fresh[n]!) }),
    ids,
    ...(before.size > 0 && { heldBefore: [...before.keys()] }),
  };
}

/** @throws An `Error` if a request has a bad config. */
function withCheckedConfig({ config, ...request }: GivenRequest): HoldRequest {
  checkConfig(request.name, config);
  return { ...request, config };
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
  for (const [i, { name, key, config, count, once }] of requests.entries()) {
    if (once === undefined) continue;
    const holds = await holdsWithOnce(ctx, { name, key }, once, now);
    // The limit may have been of another kind when it was taken.
    const wantsLease = config.kind === "concurrency";
    const hold = holds.findLast((one) => isLease(one) === wantsLease);
    if (hold === undefined) continue;
    if (isLease(hold) && !(await isRunning(ctx, hold, now))) continue;
    requireSameCount(hold, count);
    before.set(i, hold);
  }
  return before;
}

/** @throws An `Error` if a hold took another count than a request with its `once`. */
function requireSameCount(
  { name, once, taken }: Doc<"holds">,
  count: number = 1,
): void {
  if (taken === undefined || taken === count) return;
  throw new Error(
    `Rate limit ${name}: once "${once}" was held with a count of ${taken}, and now comes with ${count}.`,
  );
}

/** Gives a hold to the latest attempt, under another id: an earlier one no longer ends it. */
async function takeOver(
  ctx: MutationCtx,
  hold: Doc<"holds">,
  now: number,
): Promise<Id<"holds">> {
  const { _id, _creationTime: _, ...rest } = hold;
  if (hold.isSettled === true) return _id;
  await ctx.db.delete("holds", _id);
  const expiresAt = isLease(hold) ? renewedUntil(hold, now) : hold.expiresAt;
  return ctx.db.insert("holds", { ...rest, expiresAt });
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
  requireField(name, "expiresAfter", expiresAfter ?? defaultLength);
  if (config.kind !== "concurrency") return expiresAfter ?? defaultLength;
  if (expiresAfter === undefined) return config.lease;
  const wanted = "absent, since the limit has a lease";
  reject(name, "expiresAfter", wanted, expiresAfter);
}

/** A hold to settle with a count, or to release. */
const vSettlement = () =>
  v.object({
    id: v.string(),
    count: v.optional(v.number()),
    /** The current config of the limit, if the app names that limit. */
    config: v.optional(vGivenConfig()),
  });

/**
 * Replaces the count that each hold took with the count that was used, once: gives back or takes
 * the difference. Releases those without a count, and so all leases.
 */
export const settleAll = mutation({
  args: lazily(() =>
    v.object({
      holds: v.array(vSettlement()),
      /** For `settle`: requires a count, and releases a lease by its own count or by 0. */
      isSettle: v.optional(v.boolean()),
    }),
  ),
  returns: lazily(() =>
    v.object({
      settled: v.array(v.boolean()),
      /** The tokens of each that were not taken because of `maxDebt`; absent for none. */
      forgiven: v.optional(v.array(v.number())),
      ...warningsField(),
    }),
  ),
  handler: async (ctx, { holds, isSettle = false }) => {
    requireShortList(holds);
    const ended: Settled[] = [];
    for (const { id, count, config } of holds) {
      if (isSettle) requireUsed("settle", count);
      const hold = await findHold(ctx, id);
      if (!isSettle && count !== undefined) {
        requireUsed("settleAll", count);
        if (hold !== null && isLease(hold)) {
          throw onlyReleasedError(hold.name, count);
        }
      }
      ended.push(await endHold(ctx, hold, count ?? 0, config));
    }
    const forgiven = ended.map((one) => one.forgiven ?? 0);
    const warnings = ended.flatMap((one) => one.warnings ?? []);
    return {
      settled: ended.map((one) => one.settled),
      ...(forgiven.some((tokens) => tokens > 0) && { forgiven }),
      ...(warnings.length > 0 && { warnings }),
    };
  },
});

/** Settles the hold of a scheduled function with 0, if it has one. */
export const releaseScheduled = mutation({
  args: lazily(() =>
    v.object({ scheduledId: v.string(), limits: v.optional(vNamedLimits()) }),
  ),
  returns: lazily(() => v.object({ found: v.boolean() })),
  handler: async (ctx, { scheduledId, limits = [] }) => {
    const hold = await ctx.db
      .query("holds")
      .withIndex("scheduledId", (q) => q.eq("scheduledId", scheduledId))
      .unique();
    const current = limits.find(({ name }) => name === hold?.name)?.config;
    await endHold(ctx, hold, 0, current);
    return { found: hold !== null };
  },
});

type Settled = { settled: boolean } & Omit<Charged, "retryAfter">;

/**
 * Ends a hold once, and corrects the balance by what it did not use, or used beyond its count.
 *
 * @param current The config that its limit has now, if known.
 */
async function endHold(
  ctx: MutationCtx,
  hold: Doc<"holds"> | null,
  used: number,
  current: GivenConfig | undefined,
): Promise<Settled> {
  const now = Date.now();
  if (hold === null || hold.isSettled === true || hold.expiresAt <= now) {
    return { settled: false };
  }
  const { _id, name, key, config, taken, place } = hold;
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
    const charged = await chargeTokens(ctx, opened, used - taken);
    return { settled: true, ...charged };
  }
  // A hold that took tokens has a place.
  if (place) await creditTokens(ctx, opened, taken - used, place);
  return { settled: true };
}

function onlyReleasedError(name: string, count: number): Error {
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
  const state = await opened.state();
  const { plan } = state;
  if (plan === undefined) return opened;
  const held = toLimit(name, config, key);
  if (plan.rule === ruleOf(held)) return openChecked(ctx, target, now);
  if ((await state.glance()).isIdle(now)) return opened;
  const { start: _, ...rest } = toRateLimitConfig(config);
  const byPlan = { ...rest, ...configByRule(plan.rule, plan.ts) };
  const reopened = await openChecked(ctx, { name, key, config: byPlan }, now);
  const { limit } = reopened.phases[0];
  // The key is idle only once it is full by the hold's config, too.
  limit.knownWholes = [...limit.knownWholes, held.whole];
  return reopened;
}

/** Gives a hold a full lease from now, unless it was released or its lease has ended. */
export const renew = mutation({
  args: lazily(() => v.object({ id: v.string() })),
  returns: lazily(() => v.object({ renewed: v.boolean() })),
  handler: async (ctx, { id }) => {
    const hold = await findHold(ctx, id);
    if (hold === null) return { renewed: false };
    if (!isLease(hold)) {
      throw new Error(
        `Rate limit ${hold.name}: only holds of a concurrency limit have a lease to renew.`,
      );
    }
    const now = Date.now();
    if (!(await isRunning(ctx, hold, now))) return { renewed: false };
    const expiresAt = renewedUntil(hold, now);
    await ctx.db.patch("holds", hold._id, { expiresAt });
    return { renewed: true };
  },
});

/** Stores which scheduled function a hold is for. */
export const attach = mutation({
  args: lazily(() => v.object({ id: v.string(), scheduledId: v.string() })),
  returns: lazily(() => v.null()),
  handler: async (ctx, { id, scheduledId }) => {
    await ctx.db.patch("holds", toDocId(ctx, id), { scheduledId });
    return null;
  },
});
