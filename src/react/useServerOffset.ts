import { useConvex, type ConvexReactClient } from "convex/react";
import { getFunctionName, type FunctionReference } from "convex/server";
import { useSyncExternalStore } from "react";
import { serverClock, type ServerClock } from "./serverClock.js";
import { browserTiming } from "./timing.js";

/** The mutation `getServerTime` of `hookAPI`: it returns the server's `Date.now()`. */
export type GetServerTimeMutation = FunctionReference<
  "mutation",
  "public",
  Record<string, never>,
  number
>;

/**
 * Server time minus browser time, in ms; 0 until it has been measured, and always 0 without a
 * `getServerTime` mutation. All components of a page share one measurement.
 */
export function useServerOffset(
  getServerTime: GetServerTimeMutation | undefined,
): number {
  const client = useConvex();
  const clock =
    getServerTime === undefined ? unmeasured : clockOf(client, getServerTime);
  return useSyncExternalStore(clock.subscribe, clock.getOffset, () => 0);
}

const unmeasured = { subscribe: () => () => {}, getOffset: () => 0 };

const clocks = new WeakMap<ConvexReactClient, Map<string, ServerClock>>();

function clockOf(
  client: ConvexReactClient,
  getServerTime: GetServerTimeMutation,
): ServerClock {
  const ofClient = clocks.get(client) ?? new Map<string, ServerClock>();
  clocks.set(client, ofClient);
  // Every access to `api` makes a new reference, so compare by name.
  const name = getFunctionName(getServerTime);
  const clock =
    ofClient.get(name) ??
    serverClock(
      () => client.mutation(getServerTime, {}),
      client,
      browserTiming,
    );
  ofClient.set(name, clock);
  return clock;
}
