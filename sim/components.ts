import {
  getFunctionAddress,
  type FunctionReference,
  type FunctionVisibility,
  type GenericSchema,
  type SchemaDefinition,
} from "convex/server";

/** A component's modules by name, such as `{ lib }`. */
export type Modules = Record<string, Record<string, unknown>>;

/** What a deployment runs: an app, or a component in place of an app. */
export type Component = {
  schema: SchemaDefinition<GenericSchema, boolean>;
  modules: Modules;
  /** How many modules a call of one of its functions loads on a deployment. Default 3. */
  loads?: number;
  /** What it mounts, by the name of the mount. */
  components?: Record<string, Component>;
};

/** The path of a function's component ("" is the root), and its name there ("module:export"). */
export type Address = { path: string; name: string };

/** A registered function, as it is at run time. */
export type Registered = {
  _handler: (ctx: object, args: Record<string, unknown>) => unknown;
  isQuery?: boolean;
  exportArgs: () => string;
  exportReturns: () => string;
};

export type Reference = FunctionReference<
  "query" | "mutation",
  FunctionVisibility
>;

const LOADS = 3;
/** The export by which a module asks Convex to keep what it has loaded. */
const KEPT = "experimental_reuseContext";
const HANDLE = "function://";
const CHILD = ["_reference", "childComponent"];

/** A component and all that it mounts, by their paths. */
export class Mounts {
  private readonly components = new Map<string, Component>();
  /** By the path of their component and their name. */
  private readonly functions = new Map<string, Map<string, Registered>>();

  /** Whether the arguments and results of functions are checked. Default true. */
  readonly checksValidators: boolean;

  constructor(root: Component, { checksValidators = true } = {}) {
    this.checksValidators = checksValidators;
    this.add("", root);
  }

  [Symbol.iterator](): IterableIterator<[string, Component]> {
    return this.components.entries();
  }

  function({ path, name }: Address): Registered {
    const registered = this.find(path, name);
    if (registered !== undefined) return registered;
    throw new Error(`no function ${path} ${name}`);
  }

  /** The function that a reference means in the component at `path`. */
  address(path: string, reference: Reference): Address {
    const {
      functionHandle,
      reference: place,
      name,
    } = getFunctionAddress(reference) as Record<string, string | undefined>;
    if (name !== undefined) return { path, name };
    if (functionHandle !== undefined) {
      const handle = functionHandle.slice(HANDLE.length);
      const [owner = "", exported = ""] = handle.split("?");
      return { path: owner, name: exported };
    }
    const [first, second, mount, ...names] = place?.split("/") ?? [];
    if (first !== CHILD[0] || second !== CHILD[1] || mount === undefined) {
      throw new Error(`not a component's function: ${place}`);
    }
    const exported = names.pop();
    return { path: join(path, mount), name: `${names.join("/")}:${exported}` };
  }

  /**
   * A handle of the function `name`. On a deployment, it is for the caller's own function. Here the
   * caller is not known, so only one component may have a function of that name.
   */
  handle(name: string): string {
    const paths = [...this.components.keys()].filter((path) =>
      this.find(path, name),
    );
    if (paths.length !== 1) {
      throw new Error(`${paths.length} components have a function ${name}`);
    }
    return `${HANDLE}${paths[0]}?${name}`;
  }

  /**
   * How many modules a call loads: none if Convex keeps them from an earlier call. That holds where
   * each kept module has a context of its own and has been called before, as on a deployment that
   * honours the export and has run for a while. Elsewhere calls are dearer than simulated.
   */
  loads({ path, name }: Address): number {
    const { modules, loads = LOADS } = this.components.get(path)!;
    const [module] = name.split(":");
    return modules[module!]?.[KEPT] === true ? 0 : loads;
  }

  private find(path: string, name: string): Registered | undefined {
    return this.functions.get(path)?.get(name);
  }

  private add(path: string, component: Component): void {
    this.components.set(path, component);
    const functions = new Map<string, Registered>();
    for (const [module, exports] of Object.entries(component.modules)) {
      for (const [exported, value] of Object.entries(exports)) {
        if (!isRegistered(value)) continue;
        functions.set(`${module}:${exported}`, value);
        if (exported === "default") functions.set(module, value);
      }
    }
    this.functions.set(path, functions);
    for (const [mount, child] of Object.entries(component.components ?? {})) {
      this.add(join(path, mount), child);
    }
  }
}

function isRegistered(value: unknown): value is Registered {
  return typeof value === "function" && "_handler" in value;
}

/** The name of a component's table among all tables of the deployment. */
export function join(path: string, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}
