import vm from "node:vm";

/** A module of a push, as Convex's command has bundled it. */
export type Bundle = { path: string; source: string };

/** What Convex's default runtime has beside the language itself, and that an import may use. */
const PURE_GLOBALS = [
  "AbortController",
  "AbortSignal",
  "Blob",
  "DOMException",
  "Event",
  "EventTarget",
  "File",
  "FormData",
  "Headers",
  "ReadableStream",
  "Request",
  "Response",
  "TextDecoder",
  "TextEncoder",
  "TransformStream",
  "URL",
  "URLSearchParams",
  "WritableStream",
  "atob",
  "btoa",
  "console",
  "structuredClone",
] as const;

/** The runtime's other globals, for functions that run. */
const EFFECTS = [
  "Convex",
  "clearInterval",
  "clearTimeout",
  "crypto",
  "fetch",
  "performance",
  "setInterval",
  "setTimeout",
];

const MOST_IMPORT_MS = 1_000;

/**
 * Evaluates a module and what it imports, in a V8 context with the globals of Convex's default
 * runtime and no other: nothing of Node, no DOM. Meanwhile the clock, randomness, timers, the network
 * and syscalls throw. Convex itself lends an import a frozen clock and a fixed seed; what reads them
 * there is a mistake all the same.
 *
 * @param environment What an app may read at import time. A component may not.
 * @param convex The syscalls of the functions that are called afterwards.
 */
export async function evaluate(
  bundles: readonly Bundle[],
  path: string,
  environment: object = refusing("process.env"),
  convex?: object,
): Promise<Record<string, unknown>> {
  const globals = Object.fromEntries<unknown>([
    ...PURE_GLOBALS.map((name) => [name, globalThis[name]] as const),
    ...EFFECTS.map((name) => [name, refusing(name)] as const),
    ["process", { env: environment }],
  ]);
  vm.createContext(globals);
  let isImporting = true;
  const impure = (what: string, run: () => number) => (): number =>
    isImporting ? refuse(what) : run();
  const patch = vm.runInContext(
    `(now, random) => {
      Math.random = random;
      Date = new Proxy(Date, {
        construct: (date, args, target) =>
          Reflect.construct(date, args.length === 0 ? [now()] : args, target),
        apply: (date) => new date(now()).toString(),
        get: (date, name) => (name === "now" ? now : date[name]),
      });
    }`,
    globals,
  ) as (now: () => number, random: () => number) => void;
  patch(impure("Date.now", Date.now), impure("Math.random", Math.random));

  const modules = new Map<string, vm.SourceTextModule>();
  const compile = (path: string): vm.SourceTextModule => {
    const source = bundles.find((bundle) => bundle.path === path)?.source;
    if (source === undefined) throw new Error(`There is no module ${path}.`);
    const module =
      modules.get(path) ??
      new vm.SourceTextModule(source, {
        context: globals,
        identifier: path,
        importModuleDynamically: () => refuse("import()"),
        initializeImportMeta: () => refuse("import.meta"),
      });
    modules.set(path, module);
    return module;
  };
  const module = compile(path);
  await module.link((specifier, from) =>
    compile(new URL(specifier, `file:///${from.identifier}`).pathname.slice(1)),
  );
  await module.evaluate({ timeout: MOST_IMPORT_MS });
  isImporting = false;
  if (convex !== undefined) globals.Convex = convex;
  return module.namespace as Record<string, unknown>;
}

function refuse(what: string): never {
  throw new Error(`${what} at import time`);
}

const refusing = (what: string) =>
  new Proxy(() => {}, {
    get: () => refuse(what),
    apply: () => refuse(what),
  });
