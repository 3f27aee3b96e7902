import { expect, test } from "vitest";
import { api } from "../app/convex/_generated/api.js";
import { newLimit, saying } from "./visitor.js";

const DAY = 86_400_000;

test("a mutation that throws gives back what it took", async () => {
  const { take, takeAndThrow, getValue } = newLimit({
    kind: "fixed window",
    rate: 10,
    period: DAY,
  });
  await take();
  const message = saying("What follows has failed.");
  for (let i = 0; i < 5; i++) {
    await expect(takeAndThrow()).rejects.toThrow(message);
  }
  expect((await getValue()).value).toBe(9);
});

test("limitAll takes from all limits or from none", async () => {
  const config = { kind: "token bucket", rate: 1, period: DAY } as const;
  const [first, second] = [newLimit(config), newLimit(config)];
  await second.take();
  const both = await first.http.mutation(api.verbs.limitAll, {
    names: [first.target.name, second.target.name],
    key: first.target.key,
    config,
  });
  expect(both).toMatchObject({
    ok: false,
    blockedBy: { index: 1, name: second.target.name },
  });
  expect(await first.take()).toMatchObject({ ok: true });
});

test("an action holds an estimate and settles what it used", async () => {
  const { http, target, getValue } = newLimit({
    kind: "token bucket",
    rate: 40,
    period: DAY,
    shards: 4,
  });
  const spent = { ...target, estimated: 30, used: 8 };
  expect(await http.action(api.verbs.spend, spent)).toEqual({ settled: true });
  expect(Math.floor((await getValue()).value)).toBe(32);
});
