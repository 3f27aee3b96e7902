import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { weigh } from "../../bench/load/weight.js";
import { root } from "../support/root.js";
import {
  analyse,
  freeNamesOf,
  functionsOf,
  mistakesOf,
  tablesOf,
} from "./analyse.js";
import { evaluate } from "./isolate.js";
import { bundleApp } from "./bundle.js";

const [app, example, load] = await Promise.all(
  ["test/app", "", "bench/load"].map((folder) =>
    bundleApp(path.join(root, folder)),
  ),
);
const component = app!.componentDefinitions[0]!;
const contents = await analyse(component.schema, component.functions);

const readJson = (file: string): unknown =>
  JSON.parse(readFileSync(root + file, "utf8"));

/** The package of Convex that this repository is locked to; another may be installed to be tried. */
const { packages } = readJson("package-lock.json") as {
  packages: Record<string, { version: string }>;
};
const convex = "node_modules/convex";
const installed = readJson(`${convex}/package.json`) as { version: string };
const isLocked = installed.version === packages[convex]!.version;

test.each([
  ["the tested app", app!, ["dist/component"]],
  ["the example", example!, ["dist/component"]],
  [
    "the app of the benchmark",
    load!,
    [
      "dist/component",
      "node_modules/@convex-dev/batch-worker/dist/component",
      "node_modules/@convex-dev/rate-limiter/dist/component",
    ],
  ],
])(
  "Convex's command pushes %s with the components that it mounts",
  (_, push, mounted) => {
    const paths = push.componentDefinitions.map(({ definitionPath }) =>
      definitionPath.replace(/^(\.\.\/)*/, ""),
    );
    expect(paths.sort()).toEqual(mounted);
  },
);

describe("the component that is pushed", () => {
  const sources = import.meta.glob<object>(
    ["../../src/component/*.ts", "!**/*.*.ts"],
    { eager: true },
  );

  test("has every function of its sources, with its validators and visibility", () => {
    const byName = (a: { name: string }, b: { name: string }) =>
      a.name < b.name ? -1 : 1;
    const registered = Object.entries(sources)
      .flatMap(([file, exports]) => functionsOf(path.basename(file), exports))
      .sort(byName);
    expect(registered.length).toBeGreaterThan(0);
    expect(contents.functions.sort(byName)).toEqual(registered);
  });

  test("has the tables of its sources", () => {
    const { default: schema } = sources["../../src/component/schema.ts"] as {
      default: unknown;
    };
    expect(contents.tables).toEqual(tablesOf(schema));
  });

  test("has tables that a backend accepts", () => {
    expect(contents.tables.flatMap(mistakesOf)).toEqual([]);
  });

  test("runs internal mutations as its crons", () => {
    expect(contents.crons.length).toBeGreaterThan(0);
    for (const { name } of contents.crons) {
      expect(contents.functions.find((f) => f.name === name)).toMatchObject({
        kind: "mutation",
        isPublic: false,
      });
    }
  });

  type Call = [file: string, name: string, args: object];
  const paginationOpts = { numItems: 10, cursor: null };
  const toSweep = (table: string, task: string): Call => {
    return ["jobs.js", "toSweep", { table, task, of: "Ada", cursor: "" }];
  };
  test.each<Call>([
    ["operators.js", "list", { limits: [], order: "key", paginationOpts }],
    ["operators.js", "list", { limits: [], order: "depleted", paginationOpts }],
    ["operators.js", "listOverrides", { paginationOpts }],
    ["jobs.js", "idleKeys", { now: 0, cursor: "" }],
    toSweep("rateLimits", "forget"),
    toSweep("holds", "forget"),
    toSweep("events", "forget"),
    toSweep("deniedKeys", "forget"),
    toSweep("rateLimits", "reset"),
  ])(
    "%s: %s of %o reads without the paging that only apps may use",
    async (file, name, args) => {
      const asked: string[] = [];
      const emptyDatabase = {
        syscall: (op: string) => {
          if (!op.startsWith("1.0/query"))
            throw new Error(`There is no ${op}.`);
          return JSON.stringify({ queryId: 0 });
        },
        asyncSyscall: async (op: string) => {
          asked.push(op);
          return JSON.stringify({ value: null, done: true });
        },
      };
      const exports = await evaluate(
        component.functions,
        file,
        undefined,
        emptyDatabase,
      );
      const f = exports[name] as {
        invokeQuery(args: string): Promise<string>;
      };
      await f.invokeQuery(JSON.stringify([args]));
      expect(asked).toContain("1.0/queryStreamNext");
      expect(asked).not.toContain("1.0/queryPage");
    },
  );
});

/*
 * Convex runs each call of a module in a new context, unless the module exports this
 * (crates/isolate/src/environment/analyze.rs of its backend). Then it may keep what the module has
 * loaded and evaluated for later calls.
 */
test("the modules of calls and looks ask Convex to keep them, and those that are rarely called do not", async () => {
  const asking: string[] = [];
  for (const { path: file } of component.functions) {
    if (file.startsWith("_")) continue;
    const exports = await evaluate(component.functions, file);
    if (exports.experimental_reuseContext === true) asking.push(file);
  }
  expect(asking.sort()).toEqual(["lib.js", "looks.js", "verbs.js"]);
});

describe("what the first call loads is not more than", () => {
  const weights = weigh(load!);
  const ours = weights.filter(({ of }) => of === "convex-rate-limiter");
  const lightest = weights.find(
    ({ of, module }) =>
      of === "@convex-dev/rate-limiter" && module === "lib.js",
  )!;

  const weightOf = (module: string) =>
    ours.find((weight) => weight.module === module)!;

  // A module costs a call as much as 24 kB.
  test.each([
    ["lib.js", 2, 78_100],
    ["verbs.js", 2, 85_200],
    ["looks.js", 2, 2_060],
  ])("pinned, in %s: %d modules, %d bytes of ours", (module, modules, own) => {
    const weight = weightOf(module);
    expect(weight.modules).toBe(modules);
    expect(weight.bytes - weight.sharedBytes).toBeLessThanOrEqual(own);
  });

  // Other versions weigh something else.
  test.runIf(isLocked)("81,200 bytes of Convex's package", () => {
    expect(weightOf("lib.js").sharedBytes).toBeLessThanOrEqual(81_200);
  });

  test("the modules of `@convex-dev/rate-limiter`, for a call of limit", () => {
    const { modules } = weightOf("lib.js");
    expect(modules).toBeLessThanOrEqual(lightest.modules);
  });

  test("nine modules for all of the component's functions", () => {
    const all = weightOf("all that is pushed");
    expect(all.modules).toBe(9);
  });

  // Until the backend starts again, each call reads what it stores of the functions of all modules
  // (crates/model/src/source_packages/mod.rs).
  test("forty functions", () => {
    expect(contents.functions.length).toBeLessThanOrEqual(40);
  });

  test.each([
    ["lib", "lib:", 15.5],
    ["all modules", "", 56.2],
  ])("validators, in %s (%j): %d kB", (_, prefix, most) => {
    const bytes = contents.functions
      .filter(({ name }) => name.startsWith(prefix))
      .map(({ args, returns }) => JSON.stringify([args, returns]).length)
      .reduce((a, b) => a + b);
    expect(bytes).toBeLessThanOrEqual(most * 1000);
  });
});

test("each module of the apps evaluates without environment variables", async () => {
  const { schema, changedModules } = app!.appDefinition;
  const { functions } = await analyse(schema, changedModules, {});
  expect(functions.map(({ name }) => name)).toContain("messages:send");
  const { appDefinition } = load!;
  const loaded = await analyse(
    appDefinition.schema,
    appDefinition.changedModules,
    {},
  );
  expect(loaded.functions.map(({ name }) => name).sort()).toEqual([
    "byHand:ask",
    "byHand:run",
    "ours:ask",
    "ours:job",
    "ours:run",
    "peer:ask",
    "peer:run",
  ]);
  // The example's are not evaluated: Convex Auth wants its environment.
});

test.each([
  ["component", component.functions, []],
  [
    "tested app",
    app!.appDefinition.changedModules,
    [
      "ReadableStream",
      "Request",
      "Response",
      "URL",
      "btoa",
      "clearTimeout",
      "process",
      "setTimeout",
    ],
  ],
])(
  "the %s uses only these globals of Convex's default runtime",
  (_, modules, own) => {
    // Convex asks whether there is a window.
    const common = ["Blob", "Convex", "TextEncoder", "console", "window"];
    const named = freeNamesOf(modules);
    // Convex names a Blob only from some version on.
    expect([...new Set(["Blob", ...named])].sort()).toEqual(
      [...common, ...own].sort(),
    );
  },
);

test("the component has no dynamic import, which only actions could run", () => {
  for (const { source } of component.functions) {
    expect(source).not.toMatch(/\bimport\(/);
  }
});

describe("what a backend would refuse is found:", () => {
  test.each([
    "Date.now()",
    "new Date()",
    "Date()",
    "Math.random()",
    "process.env.SECRET",
    "crypto.randomUUID()",
    "performance.now()",
    "setTimeout(() => {}, 0)",
    "fetch('https://example.com')",
    "Convex.syscall('1.0/queryStream', '{}')",
    "await import('./other.js')",
  ])("%s at import time", async (expression) => {
    const source = `export const x = ${expression};`;
    const evaluated = analyse(null, [{ path: "lib.js", source }]);
    await expect(evaluated).rejects.toThrow(/^lib\.js: .* at import time$/);
  });

  test("a global of Node", () => {
    const source = "export const f = () => [Buffer, URL, Intl, globalThis];";
    expect(freeNamesOf([{ path: "lib.js", source }])).toEqual([
      "Buffer",
      "URL",
    ]);
  });

  const index = (indexDescriptor: string, ...fields: string[]) => ({
    indexDescriptor,
    fields,
  });
  test.each([
    ["name _rows", { tableName: "_rows" }],
    ["name by_id", { indexes: [index("by_id", "key")] }],
    ["name _id", { indexes: [index("key", "key", "_id")] }],
    ["twice: key,key", { indexes: [index("a", "key"), index("b", "key")] }],
    ["twice: a,a", { indexes: [index("a", "key"), index("a", "name")] }],
    ["twice: key,key", { indexes: [index("a", "key", "key")] }],
    ["an index without fields", { indexes: [index("key")] }],
  ])("%s in %o", (mistake, table) => {
    const right = { tableName: "rows", indexes: [] };
    expect(mistakesOf({ ...right, ...table })).toEqual([mistake]);
  });
});
