import { expect, test } from "vitest";
import { api } from "../app/convex/_generated/api.js";
import { newLimit } from "./visitor.js";

test("stats count the grants and denials of a limit, and the denials of a key", async () => {
  const { http, target, take } = newLimit({
    kind: "token bucket",
    rate: 2,
    period: 86_400_000,
    stats: true,
  });
  const { name, key, config } = target;
  const ok = [await take(), await take(), await take(), await take()];
  expect(ok.map((answer) => answer.ok)).toEqual([true, true, false, false]);
  const { minutes, keys } = await http.query(api.verbs.stats, {
    name,
    config,
  });
  const sum = (counted: "granted" | "denied") =>
    minutes.reduce((n, minute) => n + minute[counted], 0);
  expect([sum("granted"), sum("denied")]).toEqual([2, 2]);
  expect(keys).toEqual([{ key, denied: 2 }]);
});
