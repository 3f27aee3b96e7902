import path from "node:path";
import { compileFunction } from "node:vm";
import * as customFunctions from "convex-helpers/server/customFunctions";
import * as helpersRateLimit from "convex-helpers/server/rateLimit";
import * as convexServer from "convex/server";
import * as convexValues from "convex/values";
import * as rateLimiter from "convex-rate-limiter";
import * as rateLimiterDashboard from "convex-rate-limiter/dashboard";
import * as rateLimiterReact from "convex-rate-limiter/react";
import * as rateLimiterHelpers from "convex-rate-limiter/helpers";
import * as rateLimiterTest from "convex-rate-limiter/test";
import * as convexTest from "convex-test";
import * as jsx from "react/jsx-runtime";
import ts from "typescript";
import * as vitest from "vitest";

type Exports = Record<string, unknown>;

/** What the host app imports, from the graph of modules in which the tests run. */
const packages: Record<string, Exports> = {
  "convex-helpers/server/customFunctions": customFunctions,
  "convex-helpers/server/rateLimit": helpersRateLimit,
  "convex/server": convexServer,
  "convex/values": convexValues,
  "convex-rate-limiter": rateLimiter,
  "convex-rate-limiter/dashboard": rateLimiterDashboard,
  "convex-rate-limiter/helpers": rateLimiterHelpers,
  "convex-rate-limiter/react": rateLimiterReact,
  "convex-rate-limiter/test": rateLimiterTest,
  "convex-test": convexTest,
  "react/jsx-runtime": jsx,
  vitest,
};

/** Runs files that exist only here, each once, and returns their exports. */
export class Loader {
  private readonly loaded = new Map<string, Exports>();

  constructor(private readonly files: ReadonlyMap<string, string>) {}

  /** Runs a file once, and returns its exports. */
  load(file: string): Exports {
    const known = this.loaded.get(file);
    if (known !== undefined) return known;
    const exports: Exports = {};
    this.loaded.set(file, exports);
    run(
      toJs(this.text(file), file),
      exports,
      this.require(file),
      this.importMeta(),
    );
    return exports;
  }

  /** Runs a fragment, which may await, with what its surroundings are to be. */
  async runFragment(file: string, surroundings: Exports): Promise<void> {
    const require = this.require(file);
    const body = `return (async () => { ${toJs(this.text(file), file)}\n })();`;
    await run(body, {}, (name) =>
      name === "./surroundings" ? surroundings : require(name),
    );
  }

  /** The modules of the host app, as `import.meta.glob` would return them. */
  modules(): Record<string, () => Promise<Exports>> {
    return Object.fromEntries(
      [...this.files.keys()]
        .filter((file) => /^convex\/(?!.*\.test\.)/.test(file))
        .map((file) => [
          file.replace(/^convex/, "."),
          async () => this.load(file),
        ]),
    );
  }

  private require(from: string): (name: string) => Exports {
    return (name) => {
      if (!name.startsWith(".")) {
        const found = packages[name];
        if (found === undefined) throw new Error(`${from} imports ${name}.`);
        return found;
      }
      return this.load(`${path.posix.join(path.posix.dirname(from), name)}.ts`);
    };
  }

  private importMeta() {
    return { glob: () => this.modules() };
  }

  private text(file: string): string {
    const text = this.files.get(file);
    if (text === undefined) throw new Error(`There is no ${file}.`);
    return text;
  }
}

/** Runs the text of a CommonJS module in this context. */
function run(
  js: string,
  exports: Exports,
  require: (name: string) => Exports,
  importMeta?: unknown,
): unknown {
  const names = ["exports", "require", "importMeta"];
  const body = compileFunction(js, names) as (...args: unknown[]) => unknown;
  return body(exports, require, importMeta);
}

function toJs(text: string, fileName: string): string {
  const { outputText } = ts.transpileModule(text, {
    fileName,
    compilerOptions: {
      jsx: ts.JsxEmit.ReactJSX,
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ESNext,
    },
  });
  // CommonJS has no import.meta; the loader hands its own in.
  return outputText.replaceAll("import.meta", "importMeta");
}
