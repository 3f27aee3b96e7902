import * as peer from "@convex-dev/rate-limiter";
import peerTest from "@convex-dev/rate-limiter/test";
import * as ours from "convex-rate-limiter";
import oursTest from "convex-rate-limiter/test";
import { convexTest } from "convex-test";
import {
  componentsGeneric,
  defineSchema,
  type GenericDataModel,
  type GenericMutationCtx,
} from "convex/server";
import type { Value } from "convex/values";
import { inComponent, type Host } from "../support/host.js";

/** What both packages are called with: the peer's own type. */
type Peer = typeof peer;
export type PeerLimiter = peer.RateLimiter<
  Record<string, peer.RateLimitConfig>
>;
export type Ctx = GenericMutationCtx<GenericDataModel>;

/** One package, mounted in an app of its own. */
export type Mounted = {
  limiter: (limits: Record<string, peer.RateLimitConfig>) => PeerLimiter;
  /** One without named limits. */
  inline: peer.RateLimiter;
  calculateRateLimit: Peer["calculateRateLimit"];
  isRateLimitError: Peer["isRateLimitError"];
  /** Runs in one mutation; an error becomes `{ thrown }`. */
  run: <T>(handler: (ctx: Ctx) => Promise<T>) => Promise<T | Thrown>;
  rows: () => Promise<Record<string, Value>[]>;
  restore: (rows: Record<string, Value>[]) => Promise<void>;
};

type Thrown = { thrown: string; data?: unknown };

export function mount(
  package_: Pick<Peer, "calculateRateLimit" | "isRateLimitError"> & {
    RateLimiter: unknown;
  },
  { register }: Pick<typeof peerTest, "register">,
): Mounted {
  const t = convexTest({
    schema: defineSchema({}),
    modules: { "./_generated/api.ts": async () => ({}) },
  });
  register(t);
  const RateLimiter = package_.RateLimiter as typeof peer.RateLimiter;
  const components = componentsGeneric() as unknown as {
    rateLimiter: ConstructorParameters<typeof RateLimiter>[0];
  };
  const stored = <T>(handler: (ctx: Ctx) => Promise<T>) =>
    inComponent(t as unknown as Host, (ctx) => handler(ctx as unknown as Ctx));
  return {
    limiter: (limits) => new RateLimiter(components.rateLimiter, limits),
    inline: new RateLimiter(components.rateLimiter),
    calculateRateLimit: package_.calculateRateLimit,
    isRateLimitError: package_.isRateLimitError,
    run: <T>(handler: (ctx: Ctx) => Promise<T>) =>
      t
        .mutation((ctx) => handler(ctx as unknown as Ctx))
        .catch((error: Error & { data?: unknown }) => ({
          thrown: error.message,
          ...(error.data !== undefined && { data: error.data }),
        })),
    rows: () =>
      stored(async ({ db }) => {
        const rows = await db.query("rateLimits").collect();
        return rows.map(
          ({ _id, _creationTime, ...row }) => row as Record<string, Value>,
        );
      }),
    restore: (rows) =>
      stored(async ({ db }) => {
        for (const row of rows) await db.insert("rateLimits", row);
      }),
  };
}

export const mountPeer = () => mount(peer, peerTest);
export const mountOurs = () => mount(ours as unknown as Peer, oursTest);
/** The peer's client on this component. */
export const mountMixed = () => mount(peer, oursTest);

/** Calls the query of `hookAPI` as a browser does, and returns the rate that it shows. */
export const askedByBrowser = (
  limiter: PeerLimiter,
  run: Mounted["run"],
  args: object,
) => {
  const { getRateLimit } = limiter.hookAPI("limit");
  const { _handler } = getRateLimit as unknown as {
    _handler: (ctx: Ctx, args: object) => Promise<peer.RateLimitArgs>;
  };
  return run(async (ctx) => (await _handler(ctx, args)).config.rate);
};
