import type { ConvexClient } from "convex/browser";
import type {
  FunctionArgs,
  FunctionReference,
  FunctionReturnType,
} from "convex/server";

/** The results of a subscription as they come; `until` resolves with the first that satisfies it. */
export function observe<T>(
  subscribe: (onResult: (result: T) => void) => unknown,
) {
  const results: T[] = [];
  let wake = () => {};
  subscribe((result) => {
    results.push(result);
    wake();
  });
  return {
    results,
    until: async (satisfies: (result: T) => boolean): Promise<T> => {
      for (;;) {
        const found = results.findIndex(satisfies);
        if (found !== -1) return results[found]!;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

/** The results of a live query. */
export const follow = <Query extends FunctionReference<"query">>(
  client: ConvexClient,
  query: Query,
  args: FunctionArgs<Query>,
) =>
  observe<FunctionReturnType<Query>>((onResult) =>
    client.onUpdate(query, args, onResult),
  );
