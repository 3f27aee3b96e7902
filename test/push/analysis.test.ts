import type { HttpRouter } from "convex/server";
import { beforeAll, describe, expect, inject, test } from "vitest";
import {
  analyseDefinitions,
  analysePush,
  type Contents,
  functionsOf,
} from "./analyse.js";

type Sources = Record<string, Record<string, unknown>>;

const componentSources = import.meta.glob<Sources[string]>(
  ["../../src/component/*.ts", "!**/*.*.ts"],
  { eager: true },
);
const appSources = import.meta.glob<Sources[string]>(
  ["../app/convex/*.ts", "!**/*.*.ts"],
  { eager: true },
);

/** What the source modules register, under the names that a deployment gives it. */
function registeredIn(sources: Sources) {
  return Object.entries(sources)
    .flatMap(([path, exports]) =>
      functionsOf(path.slice(path.lastIndexOf("/") + 1), exports),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function tablesIn({ default: schema }: Sources[string]): unknown {
  const json = (schema as { export(): string }).export();
  return (JSON.parse(json) as { tables: unknown }).tables;
}

const analyses = {
  app: analysePush(inject("app")),
  packed: analysePush(inject("packed")),
};

describe.each([
  { name: "app", mountedAs: ["rateLimiter"], from: "src/component" },
  {
    name: "packed",
    mountedAs: ["rateLimiter", "another"],
    from: "node_modules/convex-rate-limiter/dist/component",
  },
] as const)("what is pushed of $name", ({ name, mountedAs, from }) => {
  const push = inject(name);
  const path = push.componentDefinitions[0]!.definitionPath;
  let component: Contents;

  beforeAll(async () => {
    component = (await analyses[name]).contents.get(path)!;
  });

  test(`mounts one component, from ${from}, as ${mountedAs.join(" and ")}`, async () => {
    expect(push.componentDefinitions).toHaveLength(1);
    expect(path.replace(/^(\.\.\/)*/, "")).toBe(from);
    const { definitions } = await analyses[name];
    expect(definitions.get(path)).toMatchObject({
      definitionType: { type: "childComponent", name: "rateLimiter" },
      childComponents: [],
    });
    expect(definitions.get("")).toMatchObject({
      definitionType: { type: "app" },
      childComponents: mountedAs.map((name) => ({ name, path })),
    });
  });

  test("brings every function of the component, with its validators and visibility", () => {
    const registered = registeredIn(componentSources);
    expect(registered.length).toBeGreaterThan(0);
    expect(component.functions).toEqual(registered);
  });

  test("validates the arguments and results of every function of the component", () => {
    for (const { name, args, returns } of component.functions) {
      expect([name, args.type]).toEqual([name, "object"]);
      expect([name, returns?.type ?? "any"]).not.toEqual([name, "any"]);
    }
  });

  test("brings the component's tables and indexes", () => {
    const schema = componentSources["../../src/component/schema.ts"]!;
    expect(component.tables).toEqual(tablesIn(schema));
  });

  test("runs the component's crons, each of which is an internal mutation", () => {
    const crons = Object.values(component.crons);
    expect(crons.length).toBeGreaterThan(0);
    for (const { name } of crons) {
      expect(component.functions.find((f) => f.name === name)).toMatchObject({
        kind: "mutation",
        visibility: "internal",
      });
    }
  });
});

test("the app for load mounts this component and its peer's", async () => {
  const { definitions, contents } = await analysePush(inject("load"));
  const mounted = definitions.get("")!.childComponents.map(({ name }) => name);
  expect(mounted).toEqual(["rateLimiter", "peer"]);
  expect(contents.get("")!.functions.map(({ name }) => name)).toEqual([
    "limits:reset",
    "limits:take",
  ]);
});

// Its modules are not evaluated: Convex Auth reads the environment, which an app may, at import time.
test("the example mounts the component, and brings its functions", async () => {
  const push = inject("example");
  const definitions = await analyseDefinitions(push);
  const mounted = definitions.get("")!.childComponents.map(({ name }) => name);
  expect(mounted).toEqual(["rateLimiter"]);
  const paths = push.appDefinition.changedModules.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(["answers.js", "auth.js", "http.js", "messages.js"]),
  );
});

describe("the tested app's own", () => {
  let contents: Contents;

  beforeAll(async () => {
    contents = (await analyses.app).contents.get("")!;
  });

  test("functions are all there", () => {
    expect(contents.functions).toEqual(registeredIn(appSources));
  });

  test("tables and indexes are there", () => {
    const schema = appSources["../app/convex/schema.ts"]!;
    expect(contents.tables).toEqual(tablesIn(schema));
  });

  test("HTTP routes are there", () => {
    const { default: http } = appSources["../app/convex/http.ts"]!;
    expect(contents.routes).toEqual(
      (http as HttpRouter)
        .getRoutes()
        .map(([path, method]) => ({ path, method })),
    );
    expect(contents.routes).toContainEqual({ path: "/quote", method: "GET" });
  });
});
