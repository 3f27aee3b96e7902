import { makeFunctionReference } from "convex/server";
import { describe, expect, inject, test } from "vitest";
import { analysePush } from "./analyse.js";
import { startPush } from "./backend.js";
import { removeApp, writeApp } from "./folder.js";
import { type Bundle, Isolate } from "./isolate.js";
import { bundleApp, type Push } from "./push.js";

async function bundle(files: Record<string, string>) {
  const folder = await writeApp(files);
  try {
    return await bundleApp(folder);
  } finally {
    await removeApp(folder);
  }
}

const convexConfig = (name: string) => `
  import { defineComponent } from "convex/server";
  export default defineComponent("${name}");
`;

const paginate = `
  ctx.db.query("rows").paginate({ numItems: 1, cursor: null })
`;

const mounting = (name: string) => `
  import { defineApp } from "convex/server";
  import ${name} from "../${name}/convex.config";
  const app = defineApp();
  app.use(${name});
  export default app;
`;

test("the push is refused for a module of Node in the component", async () => {
  const push = bundle({
    "convex/convex.config.ts": mounting("importing"),
    "importing/convex.config.ts": convexConfig("importing"),
    "importing/lib.ts": `
      import { randomUUID } from "node:crypto";
      export const id = () => randomUUID();
    `,
  });
  await expect(push).rejects.toThrow("node:crypto");
});

test("paginate() within a component fails when it is called", async () => {
  const push = await bundle({
    "convex/convex.config.ts": mounting("paginating"),
    "convex/rows.ts": `
      import { componentsGeneric, queryGeneric } from "convex/server";
      const { paginating } = componentsGeneric();
      export const list = queryGeneric({
        args: {},
        handler: (ctx) => ctx.runQuery(paginating.rows.list as never, {}),
      });
      export const own = queryGeneric({
        args: {},
        handler: (ctx) => ${paginate},
      });
    `,
    "paginating/convex.config.ts": convexConfig("paginating"),
    "paginating/rows.ts": `
      import { queryGeneric } from "convex/server";
      export const list = queryGeneric({
        args: {},
        handler: (ctx) => ${paginate},
      });
    `,
  });
  const t = await startPush(push);
  const call = (name: string) =>
    t.query(makeFunctionReference<"query">(name), {});
  await expect(call("rows:list")).rejects.toThrow(
    "paginate() is only supported in the app",
  );
  expect(await call("rows:own")).toMatchObject({ page: [] });
});

/** The app's push with nothing but this bundle in its component. */
function withOnly(bundle: Bundle): Push {
  const push = inject("app");
  const [component] = push.componentDefinitions;
  const { path } = bundle;
  return {
    appDefinition: { ...push.appDefinition, schema: null, changedModules: [] },
    componentDefinitions: [
      {
        ...component!,
        ...(path === "convex.config.js" && { definition: bundle }),
        schema: path === "schema.js" ? bundle : null,
        functions: path === "odd.js" || path === "crons.js" ? [bundle] : [],
      },
    ],
  };
}

const schemaOf = (table: object): Bundle => ({
  path: "schema.js",
  source: `export default { export: () => ${JSON.stringify(
    JSON.stringify({ tables: [{ tableName: "rows", indexes: [], ...table }] }),
  )} };`,
});

const index = (indexDescriptor: string, ...fields: string[]) => ({
  indexDescriptor,
  fields,
});

test.each<[what: string, bundle: Bundle, says: RegExp]>([
  [
    "a second export in convex.config",
    {
      path: "convex.config.js",
      source: "export default { export: () => ({}) }; export const two = 2;",
    },
    /component `.*src\/component` .* more than one export/,
  ],
  [
    "an index with a reserved name",
    schemaOf({ indexes: [index("by_id", "key")] }),
    /cannot name an index "by_id" because the name is reserved/,
  ],
  [
    "a table with a reserved name",
    schemaOf({ tableName: "_rows" }),
    /_rows is a reserved table name/,
  ],
  [
    "an index over a reserved field",
    schemaOf({ indexes: [index("key", "key", "_id")] }),
    /reserved field "_id"/,
  ],
  [
    "two indexes over the same fields",
    schemaOf({ indexes: [index("a", "key"), index("b", "key")] }),
    /must be distinct: key, key/,
  ],
  [
    "an index without fields",
    schemaOf({ indexes: [index("key")] }),
    /In index "key": 0 fields/,
  ],
  [
    "a cron that runs what is not there",
    {
      path: "crons.js",
      source: `
        const cron = { name: "lib:missing", args: [{}], schedule: {} };
        export default { isCrons: true, export: () => JSON.stringify({ cron }) };
      `,
    },
    /'cron' schedules a function that does not exist: lib:missing/,
  ],
  [
    "a function whose arguments are no object",
    {
      path: "odd.js",
      source: `
        const odd = { isQuery: true, isPublic: true };
        odd.exportArgs = () => '{"type":"string"}';
        export { odd };
      `,
    },
    /odd:odd: Args validator must be an object or any/,
  ],
  [
    "a clock that is read at import time",
    { path: "odd.js", source: "export const startedAt = Date.now();" },
    /Failed to analyze odd\.js: .*Date\.now at import time/,
  ],
])("a push is refused for %s", async (_what, bundle, says) => {
  await expect(analysePush(withOnly(bundle))).rejects.toThrow(says);
});

describe("at import time", () => {
  const evaluate = (source: string) =>
    new Isolate([{ path: "lib.js", source }]).import("lib.js");

  test.each([
    "Date.now()",
    "new Date()",
    "Date()",
    "Math.random()",
    "process.env.SECRET",
    "crypto.randomUUID()",
    "crypto.getRandomValues(new Uint8Array(1))",
    "performance.now()",
    "setTimeout(() => {}, 0)",
    "fetch('https://example.com')",
    "Convex.syscall('1.0/queryStream', '{}')",
  ])("%s fails", async (expression) => {
    await expect(evaluate(`export const x = ${expression};`)).rejects.toThrow(
      "at import time",
    );
  });

  test.each(["Buffer", "require", "global", "setImmediate", "window"])(
    "there is no %s",
    async (name) => {
      await expect(evaluate(`export const x = ${name};`)).rejects.toThrow(
        `${name} is not defined`,
      );
    },
  );
});
