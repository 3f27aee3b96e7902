import { expect, test } from "vitest";
import { allPages } from "../support/allPages.js";
import { api } from "../app/convex/_generated/api.js";
import { newLimit, newVisitor } from "./visitor.js";

const config = {
  kind: "token bucket",
  rate: 3,
  period: 86_400_000,
  overrides: true,
} as const;
const paginationOpts = { numItems: 50, cursor: null };

test("a ban is listed and denies until it is lifted", async () => {
  const { http, target, take, setOverride, reset } = newLimit(config);
  const { name, key } = target;
  const banned = async () => {
    const { page } = await http.query(api.verbs.listOverrides, {
      name,
      paginationOpts,
    });
    return page.map((override) => override.key);
  };
  await setOverride({ deny: true });
  expect(await banned()).toEqual([key]);
  expect(await take()).toMatchObject({ ok: false });
  await reset();
  expect(await banned()).toEqual([]);
  expect(await take()).toMatchObject({ ok: true });
});

test("an upgrade credits once what its override adds to the capacity", async () => {
  const { http, target, take } = newLimit(config);
  await take({ count: 3 });
  const upgrade = () =>
    http.mutation(api.verbs.upgrade, { ...target, rate: 5 });
  expect((await upgrade())?.credited).toBeCloseTo(2, 2);
  expect(await upgrade()).toEqual({ credited: 0 });
  expect(await take({ count: 2 })).toMatchObject({ ok: true });
  expect(await take()).toMatchObject({ ok: false });
});

test("bans in a row last longer", async () => {
  const { http, target, take, reset } = newLimit(config);
  const { name, key } = target;
  const penalize = () => http.mutation(api.verbs.penalize, { name, key });
  expect(await penalize()).toEqual({ retryAfter: 60_000 });
  expect(await take()).toMatchObject({ ok: false });
  expect(await penalize()).toEqual({ retryAfter: 600_000 });
  await reset();
  expect(await take()).toMatchObject({ ok: true });
});

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

test("the app's callbacks record a denial and the warning before it", async () => {
  const { visitor: sender, http } = newVisitor();
  const send = () => http.mutation(api.messages.trySend, { sender });
  const sent = [await send(), await send(), await send(), await send()];
  expect(sent).toEqual([true, true, true, false]);
  const name = `sendMessage/${sender}`;
  const told = (name: string) => http.query(api.denials.count, { name });
  expect(await told(name)).toBe(1);
  expect(await told(`${name} at 0.6`)).toBe(1);
});
