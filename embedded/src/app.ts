import type { TestConvex } from "convex-test";
import type { GenericSchema, SchemaDefinition } from "convex/server";

/** What `import.meta.glob` gives: for each path, a function that loads the module. */
export type Modules = Record<string, () => Promise<unknown>>;

type AnySchema = SchemaDefinition<GenericSchema, boolean>;
type TestBackend = TestConvex<AnySchema>;

/** A Convex app to serve. */
export type App = {
  schema: AnySchema;
  /**
   * The modules of the functions' folder, `_generated` included:
   * `import.meta.glob("./convex/**\/*.ts")`.
   */
  modules: Modules;
  /** The `register` functions of the components that it mounts. */
  components?: ((t: TestBackend) => void)[];
};

export type FunctionKind = "query" | "mutation" | "action";

export type RegisteredFunction = {
  isQuery?: true;
  isMutation?: true;
  isAction?: true;
  isPublic?: true;
  _handler: (ctx: unknown, args: unknown) => unknown;
};

/**
 * Loads every module now, and applies `record` to their functions.
 *
 * Modules cannot be loaded on first use: an import under Vite sets timers, which convex-test
 * forbids inside a transaction.
 */
export async function loadModules(
  modules: Modules,
  record: (registered: RegisteredFunction) => RegisteredFunction,
): Promise<Modules> {
  const loaded = Object.entries(modules).map(async ([path, load]) => {
    if (!isFunctionModule(path)) return [path, load] as const;
    const module = (await load()) as Record<string, unknown>;
    const exports = Object.fromEntries(
      Object.entries(module).map(([name, value]) => [
        name,
        isRegistered(value) ? record(value) : value,
      ]),
    );
    return [path, () => Promise.resolve(exports)] as const;
  });
  return Object.fromEntries(await Promise.all(loaded));
}

/** Like Convex, ignores files with several dots in their name, such as tests. */
function isFunctionModule(path: string): boolean {
  return /(^|\/)[^./]+\.\w+$/.test(path);
}

function isRegistered(value: unknown): value is RegisteredFunction {
  return value instanceof Object && "_handler" in value;
}

/** Which functions of an app may be called from outside. */
export class PublicFunctions {
  readonly #kinds = new Map<string, FunctionKind>();
  /** Whether the app has an `http` module. */
  hasHttpRouter = false;

  static async of(modules: Modules): Promise<PublicFunctions> {
    const functions = new PublicFunctions();
    const root = functionsRoot(Object.keys(modules));
    for (const [path, load] of Object.entries(modules)) {
      if (!isFunctionModule(path)) continue;
      const name = path.slice(root.length).replace(/\.\w+$/, "");
      if (name === "http") functions.hasHttpRouter = true;
      functions.#add(name, (await load()) as Record<string, unknown>);
    }
    return functions;
  }

  #add(module: string, exports: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(exports)) {
      if (!isRegistered(value) || value.isPublic !== true) continue;
      const kind = kindOf(value);
      if (kind !== undefined) this.#kinds.set(`${module}:${name}`, kind);
    }
  }

  /**
   * The kind and the full name (`module:export`) of the function that a client calls `path`. Throws
   * the same error for an internal function as for one that does not exist.
   */
  find(path: string): { name: string; kind: FunctionKind } {
    const [module = "", name = "default"] = path.split(":");
    const fullName = `${module.replace(/\.js$/, "")}:${name}`;
    const kind = this.#kinds.get(fullName);
    if (kind === undefined) {
      throw new Error(`Could not find public function for '${path}'.`);
    }
    return { name: fullName, kind };
  }
}

function functionsRoot(paths: string[]): string {
  const generated = paths.find((path) => path.includes("_generated"));
  if (generated === undefined) {
    throw new Error("The app's modules do not include its _generated folder.");
  }
  return generated.slice(0, generated.indexOf("_generated"));
}

function kindOf(registered: RegisteredFunction): FunctionKind | undefined {
  if (registered.isQuery) return "query";
  if (registered.isMutation) return "mutation";
  if (registered.isAction) return "action";
  return undefined;
}
