import type { ConvexClient } from "convex/browser";
import type {
  FunctionArgs,
  FunctionReference,
  FunctionReturnType,
} from "convex/server";

/** The results of a live query as they come; `until` resolves with the first that satisfies it. */
export function follow<Query extends FunctionReference<"query">>(
  client: ConvexClient,
  query: Query,
  args: FunctionArgs<Query>,
) {
  type Result = FunctionReturnType<Query>;
  const results: Result[] = [];
  let wake = () => {};
  client.onUpdate(query, args, (result) => {
    results.push(result);
    wake();
  });
  return {
    until: async (satisfies: (result: Result) => boolean): Promise<Result> => {
      for (;;) {
        const found = results.findIndex(satisfies);
        if (found !== -1) return results[found]!;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
