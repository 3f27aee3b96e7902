// Writes the _generated folders of the component and of the apps that use it, as `convex
// codegen` does, with Convex's own templates, but without a deployment: what a deployment
// would analyse is read from the registered functions themselves.
// With --check it writes nothing, and fails if what is there is out of date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";
import prettier from "prettier";
import { createServer } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const isModule = (file) =>
  /^[^.]+\.ts$/.test(file) &&
  file !== "schema.ts" &&
  !file.startsWith("_generated");
/** Functions are registered in no folder within. */
const isFunctionModule = (file) => isModule(file) && !file.includes("/");

// Convex's CLI ships as one bundle; its templates are taken from the sources beside
// it, without the parts of the CLI that they import only to deal with paths.
const paths = {
  name: "paths",
  setup(build) {
    build.onResolve(
      { filter: /(bundler\/index|definition\/directoryStructure)\.js$/ },
      () => ({ path: "paths", namespace: "paths" }),
    );
    build.onLoad({ filter: /.*/, namespace: "paths" }, () => ({
      contents: `
        export const entryPoints = (ctx, dir) => ctx.entryPoints(dir);
        export const toComponentDefinitionPath = (root, dir) => dir.definitionPath;
        export const toAbsolutePath = (root, definitionPath) => definitionPath;
      `,
    }));
  },
};
const templates = path.join(
  root,
  "node_modules/convex/dist/esm/cli/codegen_templates",
);
const { outputFiles } = await esbuild.build({
  stdin: {
    contents: ["component_api", "component_server", "dataModel", "server"]
      .map((name) => `export * from "./${name}.js";`)
      .join("\n"),
    resolveDir: templates,
  },
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  plugins: [paths],
});
const {
  componentTS,
  componentApiTSWithTypes,
  componentApiJs,
  componentApiDTS,
  componentServerTS,
  dynamicDataModelTS,
  dynamicDataModelDTS,
  noSchemaDataModelDTS,
  serverCodegen,
} = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
);

const ctx = {
  entryPoints: async (dir) =>
    (await readdir(dir, { recursive: true }))
      .filter(isModule)
      .map((f) => path.join(dir, f)),
  crash: ({ printedMessage }) => {
    throw new Error(printedMessage);
  },
};

const vite = await createServer({
  root,
  appType: "custom",
  logLevel: "warn",
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true, include: [] },
});

/** A validator with the fields of each object by name, as a deployment has them. */
const sortFields = (json) =>
  JSON.stringify(JSON.parse(json), (_, it) =>
    it?.type === "object"
      ? {
          type: "object",
          value: Object.fromEntries(
            Object.entries(it.value).sort(([a], [b]) => (a < b ? -1 : 1)),
          ),
        }
      : it,
  );

async function analyse(dir) {
  const functions = {};
  const exports = new Map();
  for (const file of (await readdir(path.join(root, dir))).sort()) {
    if (!isFunctionModule(file)) continue;
    const name = file.slice(0, -".ts".length);
    const module = await vite.ssrLoadModule(`/${dir}/${file}`);
    const found = Object.entries(module)
      .filter(([, f]) => f?.isQuery || f?.isMutation || f?.isAction)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    functions[`${name}.js`] = {
      functions: found.map(([fn, f]) => ({
        name: fn,
        udfType: f.isQuery ? "Query" : f.isMutation ? "Mutation" : "Action",
        visibility: { kind: f.isPublic ? "public" : "internal" },
        args: sortFields(f.exportArgs()),
        returns: sortFields(f.exportReturns()),
      })),
    };
    const visible = found.filter(([, f]) => f.isPublic);
    if (visible.length === 0) continue;
    exports.set(name, {
      type: "branch",
      branch: visible.map(([fn]) => [
        fn,
        { type: "leaf", leaf: `_reference/function/${name}:${fn}` },
      ]),
    });
  }
  return {
    functions,
    definition: {
      childComponents: [],
      exports: { type: "branch", branch: [...exports] },
    },
  };
}

const isCheck = process.argv.includes("--check");

async function write(dir, name, text) {
  const file = path.join(root, dir, "_generated", name);
  const formatted = await prettier.format(text, {
    filepath: file,
    parser: "typescript",
  });
  if (isCheck) {
    if (existsSync(file) && readFileSync(file, "utf8") === formatted) return;
    console.error(`${dir}/_generated/${name} is stale: run npm run codegen`);
    process.exitCode = 1;
    return;
  }
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, formatted);
}

const component = "src/component";
const peer = "node_modules/@convex-dev/rate-limiter/dist/component";
const rateLimiter = { name: "rateLimiter", path: component };
/** What each app mounts. */
const apps = {
  "example/convex": [rateLimiter],
  "demo/convex": [rateLimiter],
  "test/app/convex": [rateLimiter, { name: "second", path: component }],
  "bench/load/convex": [rateLimiter, { name: "peer", path: peer }],
};
const directory = (dir) => ({
  path: path.join(root, dir),
  definitionPath: dir,
});
const options = { staticApi: false, useComponentApiImports: true };

const push = {
  analysis: {
    [component]: { definition: { childComponents: [] } },
    ...Object.fromEntries(
      Object.entries(apps).map(([app, childComponents]) => [
        app,
        { definition: { childComponents } },
      ]),
    ),
  },
};
const children = new Map([
  [component, { importSpecifier: "convex-rate-limiter" }],
  [peer, { importSpecifier: "@convex-dev/rate-limiter" }],
]);
const api = (dir) => [ctx, push, directory("."), directory(dir)];

await write(component, "dataModel.ts", dynamicDataModelTS());
await write(component, "server.ts", componentServerTS(false, []));
await write(
  component,
  "api.ts",
  await componentApiTSWithTypes(...api(component), children, options),
);
// The functions import the files above, so they can be analysed only now.
push.analysis[component] = await analyse(component);
await write(component, "component.ts", await componentTS(...api(component)));

for (const app of Object.keys(apps)) {
  const server = serverCodegen({ useTypeScript: false, envVars: [] });
  const hasSchema = existsSync(path.join(root, app, "schema.ts"));
  const dataModel = hasSchema ? dynamicDataModelDTS : noSchemaDataModelDTS;
  await write(app, "dataModel.d.ts", dataModel());
  await write(app, "server.d.ts", server.DTS);
  await write(app, "server.js", server.JS);
  await write(app, "api.js", componentApiJs());
  await write(
    app,
    "api.d.ts",
    await componentApiDTS(...api(app), children, options),
  );
}
await vite.close();
