import { expect, test } from "vitest";
import { allPages } from "../support/allPages.js";
import { api } from "../app/convex/_generated/api.js";
import { newLimit } from "./visitor.js";

const config = {
  kind: "token bucket",
  rate: 3,
  period: 86_400_000,
  overrides: true,
} as const;

test.each(["key", "depleted"] as const)(
  "list shows the keys in use page by page in the order %s, until they are reset",
  async (order) => {
    const { http, target, take, reset } = newLimit(config);
    const { name } = target;
    const other = { ...target, key: "another" };
    const listed = async () => {
      const all = await allPages((cursor) =>
        http.query(api.verbs.list, {
          name,
          config,
          order,
          paginationOpts: { numItems: 1, cursor },
        }),
      );
      return all.map(({ key }) => key);
    };
    await take();
    await http.mutation(api.verbs.limit, { ...other, count: 2 });
    expect(await listed()).toEqual(["another", "visitor"]);
    await reset();
    await http.mutation(api.verbs.reset, other);
    expect(await listed()).toEqual([]);
  },
);
