import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { modules } from "../src/test.js";

test("what register gives to convex-test is each file of the component that registers functions", async () => {
  const folder = new URL("../src/component/", import.meta.url);
  const registering: string[] = [];
  for (const file of readdirSync(folder)) {
    if (!/^[^.]+\.ts$/.test(file)) continue;
    const module = (await import(
      `../src/component/${file.slice(0, -3)}.ts`
    )) as Record<string, unknown>;
    const isFunction = (value: unknown) =>
      typeof value === "function" && "exportArgs" in value;
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
