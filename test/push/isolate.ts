import vm from "node:vm";

/** A module of a push, as the CLI has bundled it. */
export type Bundle = { path: string; source: string };

/** What bundles call when they run: `Convex.syscall` and its siblings. */
export type Syscalls = {
  syscall(op: string, args: string): string;
  asyncSyscall(op: string, args: string): Promise<string>;
  jsSyscall(op: string, args: object): unknown;
  /** Whether it is an action that runs, in which time passes. */
  isInAction(): boolean;
};

/** What Convex's default runtime has beside the language itself, and that has no effects. */
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
  "ReadableStreamBYOBReader",
  "ReadableStreamDefaultReader",
  "Request",
  "Response",
  "TextDecoder",
  "TextDecoderStream",
  "TextEncoder",
  "TextEncoderStream",
  "TransformStream",
  "URL",
  "URLSearchParams",
  "WritableStream",
  "WritableStreamDefaultWriter",
  "atob",
  "btoa",
  "structuredClone",
] as const;

/** Environment variables, which an app may read at import time, too. */
export type Environment = Record<string, string>;

const MOST_IMPORT_MS = 1_000;

/**
 * A V8 context with the globals of Convex's default runtime and no other: nothing of Node, no DOM.
 * While modules are imported the clock, randomness, timers, the network and syscalls throw, and of
 * a component the environment. Only actions import dynamically. Convex itself lends an import a frozen clock and a fixed seed; what reads them
 * there is a mistake all the same.
 */
export class Isolate {
  readonly #context: vm.Context;
  readonly #modules = new Map<string, vm.SourceTextModule>();
  readonly #bundles: Map<string, string>;
  readonly #syscalls: Syscalls | undefined;
  readonly #environment: Environment | undefined;
  #isImporting = true;

  /** @param environment Of an app; a component has none. */
  constructor(
    bundles: readonly Bundle[],
    syscalls?: Syscalls,
    environment?: Environment,
  ) {
    this.#bundles = new Map(bundles.map(({ path, source }) => [path, source]));
    this.#syscalls = syscalls;
    this.#environment = environment;
    this.#context = vm.createContext(Object.create(null) as object);
    this.#install();
  }

  /** Evaluates a module and what it imports, and returns its exports. */
  async import(path: string): Promise<Record<string, unknown>> {
    this.#isImporting = true;
    try {
      const { namespace } = await this.#link(path);
      return namespace as Record<string, unknown>;
    } finally {
      this.#isImporting = false;
    }
  }

  async #link(path: string): Promise<vm.SourceTextModule> {
    const module = this.#compile(path);
    if (module.status === "unlinked") {
      await module.link((specifier, from) =>
        this.#compile(resolve(from.identifier, specifier)),
      );
    }
    await module.evaluate({ timeout: MOST_IMPORT_MS });
    return module;
  }

  #compile(path: string): vm.SourceTextModule {
    const known = this.#modules.get(path);
    if (known !== undefined) return known;
    const source = this.#bundles.get(path);
    if (source === undefined) throw new Error(`There is no module ${path}.`);
    const refuse = (what: string) => () => {
      throw new Error(`${what} is not supported in ${path}.`);
    };
    const module = new vm.SourceTextModule(source, {
      context: this.#context,
      identifier: path,
      importModuleDynamically: (specifier) =>
        this.#syscalls?.isInAction() === true
          ? this.#link(resolve(path, specifier))
          : refuse("import()")(),
      initializeImportMeta: refuse("import.meta"),
    });
    this.#modules.set(path, module);
    return module;
  }

  #install(): void {
    const globals = this.#context as Record<string, unknown>;
    for (const name of PURE_GLOBALS) globals[name] = globalThis[name];
    globals.self = this.#evaluate("globalThis");
    globals.console = console;

    const impure = <Args extends unknown[], Result>(
      what: string,
      run: (...args: Args) => Result,
    ) => {
      return (...args: Args): Result => {
        if (this.#isImporting) throw new Error(`${what} at import time`);
        return run(...args);
      };
    };
    const refused = (what: string) =>
      impure(what, () => {
        throw new Error(`${what} is not supported in a query or mutation.`);
      });

    const ofActions = <Args extends unknown[], Result>(
      what: string,
      run: (...args: Args) => Result,
    ) => {
      const refuse = refused(what);
      return (...args: Args): Result =>
        !this.#isImporting && this.#syscalls?.isInAction() === true
          ? run(...args)
          : refuse();
    };

    globals.setInterval = refused("setInterval");
    globals.fetch = ofActions("fetch", (url: string, init: RequestInit) =>
      fetch(url, init),
    );
    globals.setTimeout = ofActions(
      "setTimeout",
      (run: () => void, ms: number) => setTimeout(run, ms),
    );
    globals.clearTimeout = globals.clearInterval = (
      timer: NodeJS.Timeout | undefined,
    ) => clearTimeout(timer);
    globals.performance = { now: refused("performance.now") };
    globals.crypto = {
      getRandomValues: impure(
        "crypto.getRandomValues",
        (array: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(array),
      ),
      randomUUID: impure("crypto.randomUUID", () => crypto.randomUUID()),
    };
    globals.process = { env: this.#environment ?? this.#noEnvironment() };

    const syscalls = this.#syscalls;
    globals.Convex = {
      syscall: impure("A syscall", (op: string, args: string) =>
        given(syscalls).syscall(op, args),
      ),
      asyncSyscall: impure("A syscall", (op: string, args: string) =>
        given(syscalls).asyncSyscall(op, args),
      ),
      jsSyscall: impure("A syscall", (op: string, args: object) =>
        given(syscalls).jsSyscall(op, args),
      ),
    };

    const patch = this.#evaluate(`(now, random) => {
      Math.random = random;
      Date = new Proxy(Date, {
        construct: (date, args, target) =>
          Reflect.construct(date, args.length === 0 ? [now()] : args, target),
        apply: (date) => new date(now()).toString(),
        get: (date, name) => (name === "now" ? now : date[name]),
      });
    }`) as (now: () => number, random: () => number) => void;
    patch(
      impure("Date.now", () => Date.now()),
      impure("Math.random", () => Math.random()),
    );
  }

  /** Components have no environment variables. */
  #noEnvironment(): object {
    return new Proxy(
      {},
      {
        get: (_, name) => {
          if (this.#isImporting) {
            throw new Error(`process.env.${String(name)} at import time`);
          }
          return undefined;
        },
      },
    );
  }

  #evaluate(code: string): unknown {
    return vm.runInContext(code, this.#context);
  }
}

function given(syscalls: Syscalls | undefined): Syscalls {
  if (syscalls === undefined) throw new Error("There is no backend to call.");
  return syscalls;
}

function resolve(from: string, specifier: string): string {
  const isRelative = /^\.{1,2}\//.test(specifier);
  if (!isRelative) throw new Error(`${from} imports ${specifier}.`);
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}
