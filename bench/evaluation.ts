import { build } from "esbuild";
import { readdir } from "node:fs/promises";
import { createContext, Script } from "node:vm";
import { table } from "./table.js";

/*
 * What Convex evaluates before a function runs: each query and mutation, nested ones too, runs in a
 * fresh V8 context, with a warm code cache, and evaluates its module's whole graph there
 * (convex-backend, crates/isolate/src/environment/udf/mod.rs and context_cache.rs).
 */

export const COMPONENT = "src/component";
export const PEER =
  "node_modules/@convex-dev/rate-limiter/dist/component/lib.js";

/** The modules that a call of `limit` evaluates come first in the table. */
const FIRST = ["lib", "holds", "lookAt"];

const ROUNDS = 8;
const TIMES = 60;

type Evaluated = {
  module: string;
  bytes: number;
  source: string;
  cachedData: Buffer;
  ms: number;
};

/** A table of the modules that register functions, with the other package's `lib` first. */
export async function evaluation(): Promise<string> {
  const files = (await readdir(COMPONENT)).filter((file) =>
    /^[^.]+\.ts$/.test(file),
  );
  const rank = (file: string) => {
    const place = FIRST.findIndex((name) => file.startsWith(name));
    return place === -1 ? FIRST.length : place;
  };
  const sorted = files
    .filter((file) => !["schema.ts", "crons.ts"].includes(file))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const peer = await prepare("@convex-dev/rate-limiter: lib", PEER);
  const modules = [peer];
  for (const file of sorted) {
    const prepared = await prepare(file.slice(0, -3), `${COMPONENT}/${file}`);
    // Skips modules that register no function.
    if (/\.(isQuery|isMutation) = true/.test(prepared.source)) {
      modules.push(prepared);
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of modules) one.ms = Math.min(one.ms, evaluate(one));
  }
  return table(modules, {
    module: ({ module }) => module,
    kB: ({ bytes }) => String(Math.round(bytes / 1000)),
    ms: ({ ms }) => ms.toFixed(2),
    ratio: ({ ms }) => (ms / peer.ms).toFixed(2),
  });
}

/** A module with all that it imports, as a script that assigns it to the variable `module`. */
export async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    format: "iife",
    globalName: "module",
    write: false,
    platform: "browser",
    logLevel: "silent",
  });
  return outputFiles[0]!.text;
}

async function prepare(module: string, file: string): Promise<Evaluated> {
  const source = await bundle(file);
  const script = new Script(source);
  script.runInContext(newContext());
  const cachedData = script.createCachedData();
  return { module, bytes: source.length, source, cachedData, ms: Infinity };
}

/** The mean time in ms, each time in a fresh context. */
function evaluate({ source, cachedData }: Evaluated): number {
  let total = 0;
  for (let i = 0; i < TIMES; i++) {
    const context = newContext();
    const script = new Script(source, { cachedData });
    const began = performance.now();
    script.runInContext(context);
    total += performance.now() - began;
  }
  return total / TIMES;
}

function newContext() {
  return createContext({
    URL,
    TextEncoder,
    TextDecoder,
    console,
    process: { env: {} },
    Headers,
    Response,
    Request,
    crypto,
    atob,
    btoa,
    Intl,
  });
}
