import { readdirSync } from "node:fs";
import { convexTest } from "convex-test";
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { expect, test } from "vitest";
import { modules, schema } from "../src/test.js";
import { components } from "./support/host.js";

type Registered = Record<"exportArgs" | "exportReturns", () => string>;

const isFunction = (value: unknown): value is Registered =>
  typeof value === "function" && "exportArgs" in value;

test("register gives convex-test each file of the component that registers functions", async () => {
  const folder = new URL("../src/component/", import.meta.url);
  const registering: string[] = [];
  for (const file of readdirSync(folder)) {
    if (!/^[^.]+\.ts$/.test(file)) continue;
    const module = (await import(
      `../src/component/${file.slice(0, -3)}.ts`
    )) as Record<string, unknown>;
    if (file === "crons.ts" || Object.values(module).some(isFunction)) {
      registering.push(`./component/${file}`);
    }
  }
  expect(Object.keys(modules).sort()).toEqual(
    ["./component/_generated/api.ts", ...registering].sort(),
  );
  for (const [path, load] of Object.entries(modules)) {
    const file = new URL(path, new URL("../src/", import.meta.url)).pathname;
    expect(await load(), path).toEqual(await import(/* @vite-ignore */ file));
  }
});

test("each function of the component declares its arguments and result", async () => {
  const silent: string[] = [];
  for (const [path, load] of Object.entries(modules)) {
    for (const [name, value] of Object.entries((await load()) as object)) {
      if (!isFunction(value)) continue;
      const args = JSON.parse(value.exportArgs()) as { type: string };
      const returns = JSON.parse(value.exportReturns()) as { type: string };
      if (args.type !== "object" || returns === null || returns.type === "any")
        silent.push(`${path}:${name}`);
    }
  }
  expect(silent).toEqual([]);
});

/** The schema that tests of apps wrote by hand for `@convex-dev/rate-limiter`. */
const handWritten = defineSchema({
  rateLimits: defineTable({
    name: v.string(),
    key: v.optional(v.string()),
    shard: v.number(),
    value: v.number(),
    ts: v.number(),
  }).index("name", ["name", "key", "shard"]),
});

test("docs/migrating.md says how a test registers the schema: a hand-written one fails", async () => {
  const limiter = new RateLimiter(components.rateLimiter, {
    message: { kind: "token bucket", rate: 10, period: MINUTE },
  });
  const take = (of: typeof schema | typeof handWritten) => {
    const t = convexTest({
      schema: defineSchema({}),
      modules: { "./_generated/api.ts": async () => ({}) },
    });
    t.registerComponent("rateLimiter", of, modules);
    return t.mutation((ctx) => limiter.limit(ctx, "message"));
  };
  await expect(take(handWritten)).rejects.toThrow("fullAt");
  expect(await take(schema)).toEqual({ ok: true });
});
