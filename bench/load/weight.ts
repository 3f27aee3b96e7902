import path from "node:path";

/** A module as it is pushed. */
type Module = { path: string; source: string };

/** The parts of a push that are weighed. */
export type Pushed = {
  appDefinition: { changedModules: readonly Module[] };
  componentDefinitions: readonly {
    definitionPath: string;
    functions: readonly Module[];
  }[];
};

/** What a call of a function in this module loads, itself included. */
export type Weight = {
  of: string;
  module: string;
  modules: number;
  bytes: number;
  /** The bytes of Convex's package among them, and of what else modules share. */
  sharedBytes: number;
};

const PARTS = {
  "convex-rate-limiter": /^(?!.*@convex-dev\/).*\bdist\/component$/,
  "@convex-dev/rate-limiter": /@convex-dev\/rate-limiter\/dist\/component$/,
};

/** What each module of functions loads: in the app, in our component, and in the incumbent's. */
export function weigh(push: Pushed): Weight[] {
  const components = Object.entries(PARTS).flatMap(([of, pattern]) => {
    const component = push.componentDefinitions.find(({ definitionPath }) =>
      pattern.test(definitionPath),
    );
    if (component === undefined) throw new Error(`${of} is not in the push.`);
    return weightsOf(of, component.functions);
  });
  const app = weightsOf("the app", push.appDefinition.changedModules);
  return [...components, ...app];
}

function weightsOf(of: string, pushed: readonly Module[]): Weight[] {
  const sources = new Map(pushed.map((module) => [module.path, module.source]));
  const entries = [...sources.keys()].filter(
    (name) => !/^(_deps|_generated)\//.test(name) && name.endsWith(".js"),
  );
  const bytesOf = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + Buffer.byteLength(sources.get(name)!), 0);
  const weightOf = (module: string, loaded: readonly string[]): Weight => ({
    of,
    module,
    modules: loaded.length,
    bytes: bytesOf(loaded),
    sharedBytes: bytesOf(loaded.filter((name) => name.startsWith("_deps/"))),
  });
  const weights = entries.map((module) => {
    const loaded = new Set<string>();
    load(module, sources, loaded);
    return weightOf(module, [...loaded]);
  });
  const all = weightOf("all that is pushed", [...sources.keys()]);
  return [...weights.sort((a, b) => b.bytes - a.bytes), all];
}

function load(
  module: string,
  sources: ReadonlyMap<string, string>,
  loaded: Set<string>,
): void {
  const source = sources.get(module);
  if (source === undefined || loaded.has(module)) return;
  loaded.add(module);
  for (const [, imported] of source.matchAll(
    /(?:\bfrom|\bimport)\s*["'](\.[^"']+)["']/g,
  )) {
    const name = path.posix.join(path.posix.dirname(module), imported!);
    load(name, sources, loaded);
  }
}
