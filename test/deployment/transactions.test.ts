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
