import { expect, test } from "vitest";
import { api } from "../app/convex/_generated/api.js";
import { holdIdOf, newLimit, newVisitor } from "./visitor.js";

const hourly = { kind: "token bucket", rate: 3, period: 3_600_000 } as const;

test.each([
  ["in rows", {}],
  ["in a limit that splits itself", { shards: "auto" }],
] as const)("a key is forgotten after its use %s", async (_, mode) => {
  const config = { ...hourly, ...mode, overrides: true, stats: true };
  const { http, target, take, hold, setOverride, getValue } = newLimit(config);
  const key = `${target.name}@example.com`;
  const ofKey = { ...target, key };
  const takeAs = () => http.mutation(api.verbs.limit, { ...ofKey, count: 2 });
  await take({ count: 2 });
  await hold(1);
  expect([(await takeAs()).ok, (await takeAs()).ok]).toEqual([true, false]);
  await http.mutation(api.verbs.hold, { ...ofKey, count: 1 });
  await setOverride({ key, deny: true, note: key });

  const forget = () => http.mutation(api.verbs.forget, { key });
  const isAtWork = () => http.query(api.verbs.isForgetting, { key });
  const { isDone, bans } = await forget();
  expect(bans).toMatchObject([{ name: target.name, key, note: key }]);
  // If the deployment stores more, a job continues.
  if (!isDone) await expect.poll(isAtWork, { timeout: 30_000 }).toBe(false);
  expect(await isAtWork()).toBe(false);

  const { name } = target;
  await http.mutation(api.verbs.clearOverride, { name, key });
  expect(await takeAs()).toMatchObject({ ok: true });
  const { keys } = await http.query(api.verbs.stats, { name, config });
  expect(keys).toEqual([]);
  expect(Math.floor((await getValue()).value)).toBe(0);
  await forget();
});

test("forget accepts a key that was never used", async () => {
  const { http, visitor: key } = newVisitor();
  const { bans } = await http.mutation(api.verbs.forget, { key });
  expect(bans).toEqual([]);
});

test("a job resets a limit of more than a hundred keys, and the holds of each", async () => {
  const { http, target, hold, settle, take } = newLimit(hourly);
  const { name, config } = target;
  const all = { name, config };
  await http.mutation(api.verbs.limitKeys, { ...all, keys: 150 });
  const id = holdIdOf(await hold(2));
  expect(await http.mutation(api.verbs.resetAll, all)).toEqual({
    isDone: false,
  });
  const isAtWork = () => http.query(api.verbs.isResetting, { name });
  await expect.poll(isAtWork, { timeout: 30_000 }).toBe(false);
  for (const key of ["0", "75", "149"]) {
    const whole = { ...target, key, count: 3 };
    expect(await http.mutation(api.verbs.limit, whole)).toEqual({ ok: true });
  }
  expect(await take({ count: 3 })).toEqual({ ok: true });
  expect(await settle(id, 0)).toEqual({ settled: false });
  expect((await take()).ok).toBe(false);
  expect(await http.mutation(api.verbs.resetAll, all)).toEqual({
    isDone: true,
  });
});
