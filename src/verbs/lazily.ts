import type { GenericValidator } from "convex/values";

/**
 * A validator that is made each time that something of it is read: when a push is analysed, and
 * never in a call.
 */
export function lazily<Made extends GenericValidator>(make: () => Made): Made {
  return new Proxy({} as Made, {
    get: (_, name) => make()[name as keyof Made],
  });
}
