/**
 * What a Convex backend reads from a push before it accepts it, and what it then refuses. Follows
 * `crates/isolate/src/environment/{component_definitions,schema,analyze}.rs`,
 * `crates/common/src/schemas/json.rs` and `application_function_runner/mod.rs` of
 * convex/convex-backend at 94a42c3 (August 2026).
 */
import type { ValidatorJSON } from "convex/values";
import { type Bundle, type Environment, Isolate } from "./isolate.js";
import type { DefinitionConfig, Push } from "./push.js";

/** What a deployment knows of an app once it is pushed. */
export type Analysis = {
  /** The app's, under "", and those of its components, each after those that it uses. */
  definitions: Map<string, Definition>;
  /** Under the same names. */
  contents: Map<string, Contents>;
};

/** Throws what a backend would refuse the push for. */
export async function analysePush(push: Push): Promise<Analysis> {
  const { appDefinition: app, componentDefinitions } = push;
  const definitions = await analyseDefinitions(push);
  const contents = new Map<string, Contents>();
  contents.set("", await analyseContents(app.schema, app.changedModules, {}));
  for (const { definitionPath, schema, functions } of componentDefinitions) {
    contents.set(definitionPath, await analyseContents(schema, functions));
  }
  return { definitions, contents };
}

type Definition = {
  path: string;
  definitionType: { type: "app" } | { type: "childComponent"; name: string };
  childComponents: { name: string; path: string }[];
};

/** The definitions of the app, under "", and of its components. */
export async function analyseDefinitions(
  push: Push,
): Promise<Map<string, Definition>> {
  const definitions = new Map<string, Definition>();
  const components = new Map(
    push.componentDefinitions.map((component) => [
      component.definitionPath,
      component,
    ]),
  );
  const visit = async (
    path: string,
    { definition, dependencies }: DefinitionConfig,
    above: readonly string[],
  ) => {
    for (const dependency of dependencies) {
      if (above.includes(dependency)) {
        throw new Error("Found cyclic definition dependency");
      }
      const component = components.get(dependency);
      if (component === undefined) {
        throw new Error(`Component definition not found: ${dependency}`);
      }
      await visit(dependency, component, [...above, path]);
    }
    const used = dependencies.map((name) => definitions.get(name)!);
    definitions.set(path, await analyseDefinition(path, definition, used));
  };
  await visit("", push.appDefinition, []);
  for (const { path, childComponents } of definitions.values()) {
    const names = childComponents.map(({ name }) => name);
    if (new Set(names).size < names.length) {
      throw new Error(`Duplicate child component name in "${path}"`);
    }
    names.forEach(checkIdentifier);
    for (const child of childComponents) {
      if (!definitions.has(child.path)) {
        throw new Error(`Component definition not found: ${child.path}`);
      }
    }
  }
  return definitions;
}

async function analyseDefinition(
  path: string,
  bundle: Bundle,
  used: readonly Definition[],
): Promise<Definition> {
  const isolate = new Isolate([bundle, ...used.map(definitionModule)]);
  const exports = await isolate.import(bundle.path);
  const invalid = (why: string) =>
    new Error(
      `The default export of \`convex.config.ts\` in ` +
        `${path === "" ? "your app" : `component \`${path}\``} has an invalid value (${why}).`,
    );
  if (!("default" in exports)) throw invalid("missing default export");
  if (Object.keys(exports).length !== 1) {
    throw invalid("`convex.config.ts` has more than one export");
  }
  const exported = exports.default as { export?(): Definition } | undefined;
  if (typeof exported?.export !== "function") {
    throw invalid("missing `export` property");
  }
  return toPlain({ ...exported.export(), path });
}

/** The module that a `convex.config` imports in place of the component's own. */
function definitionModule(definition: Definition): Bundle {
  const { path, definitionType } = definition;
  if (definitionType.type === "app") {
    throw new Error("An app cannot be used as a component.");
  }
  return {
    path: `_componentDeps/${Buffer.from(path).toString("base64url")}`,
    source: `export default {
      export: () => (${JSON.stringify(definition)}),
      componentDefinitionPath: ${JSON.stringify(path)},
      defaultName: ${JSON.stringify(definitionType.name)},
    }`,
  };
}

type IndexJSON = { indexDescriptor: string; fields: string[] };

type TableJSON = {
  tableName: string;
  indexes: IndexJSON[];
  stagedDbIndexes?: IndexJSON[];
  searchIndexes?: { indexDescriptor: string }[];
  vectorIndexes?: { indexDescriptor: string }[];
  documentType: ValidatorJSON;
};

const MOST_INDEXES = 64;
const MOST_INDEX_FIELDS = 16;

async function analyseSchema(bundle: Bundle): Promise<TableJSON[]> {
  const isolate = new Isolate([bundle]);
  const schema = (await isolate.import(bundle.path)).default as
    { export?(): string } | undefined;
  if (typeof schema?.export !== "function") {
    throw new Error("The default export of `schema.ts` is not a schema.");
  }
  const { tables } = JSON.parse(schema.export()) as { tables: TableJSON[] };
  tables.forEach(checkTable);
  return tables;
}

function checkTable(table: TableJSON): void {
  const { tableName } = table;
  checkIdentifier(tableName);
  if (tableName.startsWith("_")) {
    throw new Error(`${tableName} is a reserved table name.`);
  }
  const indexes = [...table.indexes, ...(table.stagedDbIndexes ?? [])];
  const names = [
    ...indexes,
    ...(table.searchIndexes ?? []),
    ...(table.vectorIndexes ?? []),
  ].map(({ indexDescriptor }) => indexDescriptor);
  if (names.length > MOST_INDEXES) {
    throw new Error(`Table "${tableName}" has too many indexes.`);
  }
  names.forEach((name) => checkIndexName(tableName, name));
  expectDistinct(names, `Table "${tableName}": index names`);
  indexes.forEach(checkIndexFields);
  expectDistinct(
    indexes.map(({ fields }) => fields.join()),
    `In table "${tableName}" the fields of indexes`,
  );
}

function checkIndexName(tableName: string, name: string): void {
  checkIdentifier(name);
  if (/^(by_id|by_creation_time|_.*)$/.test(name)) {
    throw new Error(
      `In table "${tableName}" cannot name an index "${name}" because the name is reserved.`,
    );
  }
}

function checkIndexFields({ indexDescriptor: name, fields }: IndexJSON): void {
  if (fields.length === 0 || fields.length > MOST_INDEX_FIELDS) {
    throw new Error(`In index "${name}": ${fields.length} fields.`);
  }
  expectDistinct(fields, `In index "${name}": fields`);
  for (const field of fields) {
    if (field.startsWith("_")) {
      throw new Error(`In index "${name}": reserved field "${field}".`);
    }
    field.split(".").forEach(checkIdentifier);
  }
}

function expectDistinct(values: readonly string[], what: string): void {
  if (new Set(values).size < values.length) {
    throw new Error(`${what} must be distinct: ${values.join(", ")}`);
  }
}

type FunctionSpec = {
  /** As `module:export`. */
  name: string;
  kind: "query" | "mutation" | "action";
  visibility: "public" | "internal";
  args: ValidatorJSON;
  returns: ValidatorJSON | null;
};

export type Cron = { name: string; args: unknown[]; schedule: object };

export type Route = { path: string; method: string };

/** What an app or a component brings. */
export type Contents = {
  tables: TableJSON[];
  functions: FunctionSpec[];
  crons: Record<string, Cron>;
  routes: Route[];
};

async function analyseContents(
  schema: Bundle | null,
  modules: readonly Bundle[],
  environment?: Environment,
): Promise<Contents> {
  const contents: Contents = {
    tables: schema === null ? [] : await analyseSchema(schema),
    functions: [],
    crons: {},
    routes: [],
  };
  for (const { path } of modules) {
    if (path.startsWith("_deps/")) continue;
    const exports = await new Isolate(modules, undefined, environment)
      .import(path)
      .catch((error: unknown) => {
        const message = `Failed to analyze ${path}: ${String(error)}`;
        throw new Error(message, { cause: error });
      });
    contents.functions.push(...functionsOf(path, exports));
    if (path === "crons.js") contents.crons = cronsOf(exports);
    if (path === "http.js") contents.routes = routesOf(exports);
  }
  contents.functions.sort((a, b) => (a.name < b.name ? -1 : 1));
  checkCrons(contents);
  return contents;
}

type RegisteredFunction = {
  isQuery?: true;
  isMutation?: true;
  isAction?: true;
  isPublic?: true;
  isInternal?: true;
  exportArgs(): string;
  exportReturns(): string;
};

/** The functions among a module's exports. */
export function functionsOf(
  path: string,
  exports: Record<string, unknown>,
): FunctionSpec[] {
  return Object.entries(exports).flatMap(([exported, value]) => {
    const kind = kindOf(value);
    if (kind === undefined) return [];
    checkIdentifier(exported);
    const f = value as RegisteredFunction;
    const name = `${path.replace(/\.\w+$/, "")}:${exported}`;
    if (f.isPublic === f.isInternal) {
      throw new Error(`${name} is neither public nor internal, or both.`);
    }
    const args = JSON.parse(f.exportArgs()) as ValidatorJSON;
    if (args.type !== "object" && args.type !== "any") {
      throw new Error(`${name}: Args validator must be an object or any`);
    }
    const returns = JSON.parse(f.exportReturns()) as ValidatorJSON | null;
    const visibility = f.isPublic === true ? "public" : "internal";
    return [{ name, kind, visibility, args, returns }];
  });
}

/** What a value is to Convex, by the marks that registration leaves on it. */
export function kindOf(value: unknown): FunctionSpec["kind"] | undefined {
  const isObject = typeof value === "function" || typeof value === "object";
  if (!isObject || value === null) return undefined;
  const kinds = (["query", "mutation", "action"] as const).filter(
    (kind) => `is${kind[0]!.toUpperCase()}${kind.slice(1)}` in value,
  );
  return kinds.length === 1 ? kinds[0] : undefined;
}

function cronsOf(exports: Record<string, unknown>): Record<string, Cron> {
  const crons = exports.default as
    { isCrons?: true; export(): string } | undefined;
  if (crons?.isCrons !== true) {
    throw new Error("The default export of `crons.js` is not a Crons object.");
  }
  return JSON.parse(crons.export()) as Record<string, Cron>;
}

function checkCrons({ functions, crons }: Contents): void {
  for (const [identifier, { name }] of Object.entries(crons)) {
    if (!/^[\x20-\x7e]*$/.test(identifier)) {
      throw new Error(`The cron job's name '${identifier}' is not ASCII.`);
    }
    const scheduled = functions.find((f) => f.name === name);
    if (scheduled === undefined) {
      throw new Error(
        `The cron job '${identifier}' schedules a function that does not exist: ${name}`,
      );
    }
    if (scheduled.kind === "query") {
      throw new Error(
        `The cron job '${identifier}' schedules a query function: ${name}`,
      );
    }
  }
}

const ROUTABLE = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];

function routesOf(exports: Record<string, unknown>): Route[] {
  const router = exports.default as
    { isRouter?: true; getRoutes(): [string, string, unknown][] } | undefined;
  if (router?.isRouter !== true) {
    throw new Error("The default export of `http.js` is not a Router.");
  }
  return Array.from(router.getRoutes(), ([path, method]) => {
    if (!ROUTABLE.includes(method)) {
      throw new Error(`'${method}' is not a routable method.`);
    }
    return { path, method };
  });
}

function checkIdentifier(name: string): void {
  if (!/^(?=.*[A-Za-z0-9])[A-Za-z_]\w{0,63}$/.test(name)) {
    throw new Error(`"${name}" is not an identifier.`);
  }
}

/** A copy that belongs to this context. */
function toPlain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
