import { afterEach, describe, expect, test, vi } from "vitest";
import { requireAtMost, requireFile, weigh } from "../support/weight.js";

/*
 * Convex evaluates all that a module imports anew in each call of one of its functions. What
 * every call of `limit` evaluates is pinned here, and what a look evaluates.
 */

const weights = new Map<string, Map<string, number>>();
for (const module of ["lib", "verbs", "looks"]) {
  const code = `export * from "./component/${module}.js";`;
  weights.set(module, await weigh(code));
}

test.each([
  ["lib", 57_200],
  ["verbs", 62_300],
  ["looks", 1_300],
])("%s evaluates at most %d bytes of this package", (module, bytes) => {
  requireAtMost(bytes, weights.get(module)!, `The component's ${module}.ts`);
});

const filesOf = (module: string) => [...weights.get(module)!.keys()];

describe("what every call of limit evaluates", () => {
  test.each([
    "core/stats.ts",
    "verbs/answers.ts",
    "verbs/creditAndCharge.ts",
    "verbs/hold.ts",
    "verbs/limitAll.ts",
    "verbs/overrides.ts",
    "verbs/stats.ts",
    "verbs/list.ts",
    "verbs/listOverrides.ts",
    "verbs/leases.ts",
    "verbs/vacuum.ts",
    "verbs/clear.ts",
    "verbs/forget.ts",
    "component/schema.ts",
    "state/stores.ts",
    "state/keyed.ts",
    "state/pages.ts",
    "state/stats/housekeeping.ts",
    "state/spread/housekeeping.ts",
    "state/holds/housekeeping.ts",
    "state/overrides/housekeeping.ts",
  ])("does not include %s", (file) => {
    requireFile(file);
    expect(filesOf("lib")).not.toContain(`src/${file}`);
  });

  test("includes what decides and what keeps rows", () => {
    expect(filesOf("lib")).toContain("src/core/decide.ts");
    expect(filesOf("lib")).toContain("src/state/one/one.ts");
  });
});

test("no call but an operator's evaluates the schema", () => {
  for (const [module, files] of weights) {
    expect([module, ...files.keys()]).not.toContain("src/component/schema.ts");
  }
});

describe("a call builds no validator", () => {
  afterEach(() => {
    vi.doUnmock("convex/values");
    // Otherwise, test files that run later would get the modules imported with it.
    vi.resetModules();
  });

  test.each([...weights.keys()])("in %s", async (module) => {
    vi.resetModules();
    vi.doMock("convex/values", async (original) => ({
      ...(await original<typeof import("convex/values")>()),
      v: new Proxy({}, { get: (_, name) => refuse(String(name)) }),
    }));
    await import(`../../src/component/${module}.ts`);
  });
});

function refuse(name: string): never {
  throw new Error(
    `v.${name} runs when the module is evaluated, in each call. Give args and returns by lazily.`,
  );
}
