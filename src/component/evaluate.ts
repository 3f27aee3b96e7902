import { v, type Infer } from "convex/values";
import {
  mostGrantable,
  project,
  timeWhenFull,
  TOLERANCE,
  type Decision,
} from "../core/algebra.js";
import {
  exceedsCapacityError,
  parseLimit,
  parseRequest,
  vConfig,
  type Limit,
  type Request,
} from "../core/config.js";
import type { Doc } from "./_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "./_generated/server.js";
import { activeOverride, withOverride } from "./overrides.js";
import { Rows } from "./rows.js";
import { decideRows } from "./shards.js";

/** One request of one limit, as the client sends it. */
export const vItem = v.object({
  name: v.string(),
  key: v.optional(v.string()),
  count: v.optional(v.number()),
  reserve: v.optional(v.boolean()),
  config: vConfig,
});

export type Item = Infer<typeof vItem>;

const details = {
  limit: v.optional(v.number()),
  remaining: v.optional(v.number()),
  resetAfter: v.optional(v.number()),
};

export const vStatus = v.union(
  v.object({
    ok: v.literal(true),
    retryAfter: v.optional(v.number()),
    wouldDeny: v.optional(v.literal(true)),
    ...details,
  }),
  v.object({ ok: v.literal(false), retryAfter: v.number(), ...details }),
);

export type Status = Infer<typeof vStatus>;

/** The rows of each limit and key that one call deals with, at one moment. */
export class Books {
  private readonly books = new Map<string, Rows>();
  private readonly refused = new Map<Rows, number>();

  constructor(
    private readonly ctx: QueryCtx | MutationCtx,
    readonly now: number,
  ) {}

  /** The rows of a limit and key: the same ones each time, with what was taken so far. */
  rows(name: string, key: string | undefined): Rows {
    const id = JSON.stringify([name, key ?? null]);
    const rows = this.books.get(id) ?? new Rows(this.ctx, name, key, this.now);
    this.books.set(id, rows);
    return rows;
  }

  /** The tokens that this call was refused of these rows before: a list must fit as a whole. */
  refusedOf(rows: Rows): number {
    return this.refused.get(rows) ?? 0;
  }

  refuse(rows: Rows, count: number): void {
    this.refused.set(rows, this.refusedOf(rows) + count);
  }

  /** Writes what was taken and given back. */
  async save(ctx: MutationCtx): Promise<void> {
    for (const rows of this.books.values()) await rows.save(ctx);
  }
}

/**
 * The rule that holds for a key now, with its stored override, if it has one.
 * Reads the override only where the config asks for it.
 */
export async function effectiveLimit(
  ctx: QueryCtx | MutationCtx,
  item: Pick<Item, "name" | "key" | "config">,
  now: number,
): Promise<{ limit: Limit; override?: Doc<"overrides"> }> {
  const { name, key, config } = item;
  const limit = parseLimit(name, config, key);
  if (!limit.overrides) return { limit };
  const override = await activeOverride(ctx, name, key, now);
  if (override === undefined) return { limit };
  return {
    limit: parseLimit(name, withOverride(config, override.override), key),
    override,
  };
}

/** Takes from the rows what `decideRows` says, and notes it for `save`. */
export async function takeFrom(
  limit: Limit,
  rows: Rows,
  request: Request,
  now: number,
): Promise<Decision> {
  const { decision, rows: read } = await decideRows(
    limit,
    rows,
    request,
    now,
    Math.random,
  );
  if (decision.ok) {
    decision.states.forEach((state, i) => {
      if (state !== undefined) rows.set(limit, read[i]!.shard, state);
    });
  }
  return decision;
}

/**
 * Decides one request and notes in `books` what it takes. Reads the rows that
 * `decideRows` reads; writes nothing.
 *
 * @throws `ExceedsCapacity` if the request can never be granted.
 */
export async function evaluate(
  ctx: QueryCtx | MutationCtx,
  books: Books,
  item: Item,
  wantsDetails: boolean,
): Promise<Status> {
  const { now } = books;
  const { name, key } = item;
  const request = parseRequest(name, item);
  const { limit, override: stored } = await effectiveLimit(ctx, item, now);
  const override = stored?.override;

  if (override !== undefined && "unlimited" in override) {
    const { capacity } = limit.whole;
    return {
      ok: true,
      ...(wantsDetails && describe(capacity, capacity, 0)),
    };
  }
  if (override !== undefined && "deny" in override) {
    // A ban without end has no time at which it would pass: ask again in a period.
    const until = stored?.expiresAt ?? now + limit.whole.period;
    const retryAfter = Math.max(1, Math.ceil(until - now));
    return enforced(limit, {
      ok: false,
      retryAfter,
      ...(wantsDetails && describe(limit.whole.capacity, 0, retryAfter)),
    });
  }
  const rows = books.rows(name, key);
  const max = mostGrantable(limit, request);
  const isPossible = request.count <= max + TOLERANCE;
  if (!isPossible && limit.enforce) {
    throw exceedsCapacityError(name, request.count, max);
  }
  const together = request.count + books.refusedOf(rows);
  const count = together <= max ? together : request.count;
  const { ok, retryAfter } = isPossible
    ? await takeFrom(limit, rows, { ...request, count }, now)
    : { ok: false as const, retryAfter: limit.whole.period };
  if (!ok && limit.enforce) books.refuse(rows, request.count);
  const balance = wantsDetails && (await describeRows(limit, rows, now));
  return enforced(
    limit,
    ok ? { ok, retryAfter, ...balance } : { ok, retryAfter, ...balance },
  );
}

/** The state of the whole limit, for HTTP headers. Looks at each of its rows. */
async function describeRows(limit: Limit, rows: Rows, now: number) {
  const all =
    limit.rows === 1
      ? [await rows.get(0)]
      : await rows.look(0, limit.rows, limit.rows);
  const states = all.map(({ state }) => project(limit.share, state, now));
  const total = states.reduce((sum, { value }) => sum + value, 0);
  const fullAt = Math.max(
    ...states.map((state) =>
      state.value >= limit.share.capacity
        ? now
        : timeWhenFull(limit.share, state),
    ),
  );
  return describe(limit.whole.capacity, total, fullAt - now);
}

function describe(limit: number, balance: number, resetAfter: number) {
  const remaining = Math.max(0, Math.floor(balance + TOLERANCE));
  return { limit, remaining, resetAfter };
}

/** A limit that is not enforced never denies. */
function enforced(limit: Limit, status: Status): Status {
  if (status.ok || limit.enforce) return status;
  return { ...status, ok: true, retryAfter: undefined, wouldDeny: true };
}
