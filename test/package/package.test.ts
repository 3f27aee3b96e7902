import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentApp } from "./agent.js";
import { otherNameApp } from "./otherName.js";
import { convexTsconfig } from "./tsconfig.js";
import { analyse } from "../push/analyse.js";
import { bundleApp } from "../push/bundle.js";
import { appOf, appsOf } from "../readme/hostApp.js";
import { pages, readSnippets, SKILL } from "../readme/snippets.js";
import { root } from "../support/root.js";

/**
 * That of this package, the oldest TypeScript that knows `NoInfer`, and the newest that Convex
 * supports.
 */
const compilers = ["typescript", "typescript-oldest", "typescript-newest"];

const host = mkdtempSync(path.join(tmpdir(), "host-app-"));
const manifest = JSON.parse(
  readFileSync(path.join(root, "package.json"), "utf8"),
) as {
  exports: Record<string, unknown>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};

/** Runs a command and returns what it printed; its output is shown if it fails. */
function run(cwd: string, command: string, ...args: string[]): string {
  try {
    return execFileSync(command, args, {
      cwd,
      encoding: "utf8",
      stdio: "pipe",
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    const said = `${command} ${args.join(" ")}\n${stdout}\n${stderr}`;
    throw new Error(said, { cause: error });
  }
}

const pageFile = "src/dashboard/_generated/page.ts";
/** Before `npm pack`, which builds it anew. */
const committedPage = readFileSync(path.join(root, pageFile), "utf8");

let tarball: string;

beforeAll(() => {
  // Under the strictest umask: the tarball must not depend on it.
  const pack = `umask 077 && npm pack --json --pack-destination "${host}"`;
  const packed = run(root, "sh", "-c", pack);
  // The build's own output comes first.
  const json = packed.slice(packed.indexOf("["));
  const [{ filename }] = JSON.parse(json) as [{ filename: string }];
  tarball = path.join(host, filename);

  writeFiles(app, Object.entries(hostApp));
  for (const { name, files } of strictPages.flatMap((page) =>
    appsOf(page, []),
  )) {
    const folder = path.join(app, "pages", name.replace(/\W/g, "_"));
    writeApp(folder, files);
  }
  writeApp(path.join(app, "pages/undefined"), Object.entries(undefinedFiles));
  const declared = readFileSync(declaredApp, "utf8");
  writeApp(path.join(app, "declared"), [["app.ts", declared]]);
  install("host", app);
});

/** Installs what the lock of an app in this folder says, with the packed package. */
function install(name: string, folder: string): void {
  for (const file of ["package.json", "package-lock.json"]) {
    const locked = fileURLToPath(new URL(`${name}/${file}`, import.meta.url));
    copyFileSync(locked, path.join(folder, file));
  }
  copyFileSync(tarball, path.join(folder, "convex-rate-limiter.tgz"));
  run(folder, "npm", "ci", "--no-audit", "--no-fund", "--prefer-offline");
}

const strictPages = pages.filter((page) => readSnippets(page).length > 0);

type Files = Iterable<readonly [file: string, text: string]>;

/** Writes an app. Its tests are left out, since they are compiled with the types of Vite. */
function writeApp(folder: string, files: Files): void {
  const written = Array.from(files)
    .filter(([file]) => !file.endsWith(".test.ts"))
    // Node's resolution wants the extension, and the other takes it.
    .map(([file, text]) => {
      const imports = text.replace(/((?:from|import) "\.[^"]*)"/g, '$1.js"');
      return [file, imports] as const;
    });
  writeFiles(folder, written);
}

function writeFiles(folder: string, files: Files): void {
  for (const [file, text] of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
}

afterAll(() => rmSync(host, { recursive: true, force: true }));

const hostApp = {
  "convex/convex.config.ts": `
    import rateLimiter from "convex-rate-limiter/convex.config.js";
    import sameRateLimiter from "convex-rate-limiter/convex.config";
    import { defineApp } from "convex/server";

    const app = defineApp();
    app.use(rateLimiter);
    app.use(sameRateLimiter, { name: "another" });
    export default app;
  `,
  "convex/messages.ts": `
    import { componentsGeneric, mutationGeneric } from "convex/server";
    import { v } from "convex/values";
    import { isRateLimitError, MINUTE, RateLimiter } from "convex-rate-limiter";
    import type { ComponentApi } from "convex-rate-limiter/_generated/component.js";
    import { rateLimited } from "convex-rate-limiter/helpers";

    const components = componentsGeneric() as unknown as { rateLimiter: ComponentApi<"rateLimiter"> };

    export const rateLimiter = new RateLimiter(components.rateLimiter, {
      send: { kind: "token bucket", rate: 10, period: MINUTE, capacity: 3 },
    });
    export const guard = rateLimited(rateLimiter, "send");
    export const { getRateLimit, getServerTime } = rateLimiter.hookAPI("send");
    export const send = mutationGeneric({
      args: { user: v.string() },
      handler: async (ctx, { user }): Promise<boolean> => {
        try {
          const { ok } = await rateLimiter.limit(ctx, "send", { key: user, throws: true });
          return ok;
        } catch (error) {
          if (isRateLimitError(error)) return error.data.retryAfter === 0;
          throw error;
        }
      },
    });
    // @ts-expect-error A name that is not defined needs a config.
    export const wrong = (ctx: never) => rateLimiter.limit(ctx, "misspelt");
  `,
  "convex/hook.tsx": `
    import type { GetValueReturns } from "convex-rate-limiter";
    import { useRateLimit } from "convex-rate-limiter/react";
    import type { getRateLimit } from "./messages.js";
    import { anyApi, type ApiFromModules } from "convex/server";

    const api = anyApi as unknown as ApiFromModules<{ messages: { getRateLimit: typeof getRateLimit } }>;
    export function Balance() {
      const { status, check } = useRateLimit(api.messages.getRateLimit, { count: 1 });
      const value: GetValueReturns["value"] | undefined = check(0)?.value;
      return <p>{status?.ok === false ? status.retryAt : value}</p>;
    }
  `,
  "convex/register.ts": `
    import { convexTest } from "convex-test";
    import { register } from "convex-rate-limiter/test";

    export const withLimiter = () => {
      const t = convexTest({ modules: { "./_generated/api.js": async () => ({}) } });
      register(t);
      register(t, "another");
      return t;
    };
  `,
};

const undefinedFiles = {
  // What @types/node would declare.
  "environment.d.ts": `
    declare const process: { env: Record<string, string | undefined> };
  `,
  "convex/undefined.ts": `
    import { MINUTE, RateLimiter, rateLimitHeaders, type ListedKey, type MutationCtx, type RateLimitOverride, type RateLimitReturns } from "convex-rate-limiter";
    import type { ComponentApi } from "convex-rate-limiter/_generated/component.js";
    import { rateLimited } from "convex-rate-limiter/helpers";
    import { componentsGeneric } from "convex/server";

    const components = componentsGeneric() as unknown as { rateLimiter: ComponentApi<"rateLimiter"> };
    const rateLimiter = new RateLimiter(components.rateLimiter, {
      search: { kind: "token bucket", rate: 100, period: MINUTE },
      sendMessage: { kind: "token bucket", rate: 10, period: MINUTE, overrides: true },
    });

    // What an app computes may be undefined. That is the same as absent.
    export async function take(ctx: MutationCtx, key: string | undefined, count: number | undefined) {
      const options = { key, count };
      await rateLimiter.limit(ctx, "search", { ...options, reserve: undefined, throws: undefined });
      await rateLimiter.limitAll(ctx, [{ name: "search", ...options }], { throws: undefined });
      await rateLimiter.credit(ctx, "search", options);
      await rateLimiter.reset(ctx, "search", { key });
      await rateLimiter.getValue(ctx, "search", { key, sampleShards: undefined });
      await rateLimiter.setOverride(ctx, "sendMessage", { key, deny: true, note: undefined });
      await rateLimiter.listOverrides(ctx, {
      name: undefined,
      paginationOpts: { numItems: 10, cursor: null },
    });
      const status = await rateLimiter.check(ctx, "search", { ...options, details: true });
      return rateLimitHeaders(status, { name: "search", config: undefined, unit: undefined });
    }
    // An app may make an answer itself, for example in a mock.
    export async function asked(ask: () => Promise<RateLimitReturns>) {
      const { ok, retryAfter } = await ask();
      return { ok, retryAfter };
    }
    export const answers = [
      asked(async () => ({ ok: true, retryAfter: undefined, wouldDeny: undefined })),
      asked(async () => ({ ok: false, retryAfter: 1, wouldDeny: undefined })),
    ];
    export const charged: Awaited<ReturnType<typeof rateLimiter.charge>> = { retryAfter: undefined };
    export const listed: ListedKey = {
      name: "search", key: undefined, balance: 1, shards: [1], capacity: undefined, usedAt: 0, limited: false, override: undefined,
    };
    export const override: RateLimitOverride = {
      name: "search", key: undefined, override: { config: { rate: undefined } }, expiresAt: undefined, note: undefined,
    };
    export const guard = rateLimited(rateLimiter, "search", { key: undefined, count: undefined });
    export const hook = rateLimiter.hookAPI("search", { key: undefined, sampleShards: undefined });
    export const capacity = (burst: number | undefined) =>
      new RateLimiter(components.rateLimiter, {
        a: { kind: "token bucket", rate: 1, period: 1, capacity: burst, shards: undefined },
      });
  `,
  "src/undefined.ts": `
    import { useRateLimit } from "convex-rate-limiter/react";
    import { anyApi, type ApiFromModules } from "convex/server";
    import type * as limits from "../convex/undefined";

    const api = anyApi as unknown as ApiFromModules<{ limits: (typeof limits)["hook"] }>;
    export const useSends = (count: number | undefined) =>
      useRateLimit(api.limits.getRateLimit, { key: undefined, count, getServerTimeMutation: undefined });
  `,
};

const app = path.join(host, "app");

const declaredApp = path.join(root, "test/package/declaredApp.ts");

/** Type-checks a folder of the host, the declarations of all packages included. */
function typeCheck(
  folder: string,
  compiler: string,
  moduleResolution: string,
  options: object = {},
): void {
  const config = {
    compilerOptions: {
      target: "ES2022",
      lib: ["ES2023", "DOM", "DOM.Iterable"],
      module: moduleResolution === "NodeNext" ? "NodeNext" : "ESNext",
      moduleResolution,
      jsx: "react-jsx",
      strict: true,
      noEmit: true,
      types: [],
      skipLibCheck: false,
      skipDefaultLibCheck: true,
      ...options,
    },
    include: ["."],
  };
  const cwd = path.join(app, folder);
  writeFileSync(path.join(cwd, "tsconfig.json"), JSON.stringify(config));
  const tsc = path.join(app, "node_modules", compiler, "bin/tsc");
  run(cwd, "node", tsc, "--project", ".");
}

test("the package has code, sources and documentation, but no tests", () => {
  const files = run(app, "tar", "-tzf", tarball).split("\n");
  for (const wanted of [
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "docs/README.md",
    "docs/playground.png",
    "dist/client/index.js",
    "src/client/index.ts",
  ]) {
    expect(files).toContain(`package/${wanted}`);
  }
  expect(files.filter((file) => /\.test(-d)?\./.test(file))).toEqual([]);
  // A map of a page that is one string.
  expect(files).not.toContain("package/dist/dashboard/_generated/page.js.map");
});

test("everybody may read each file of the package, whatever the umask was", () => {
  const lines = run(app, "tar", "-tvzf", tarball).trim().split("\n");
  expect(new Set(lines.map((line) => line.split(" ")[0]))).toEqual(
    new Set(["-rw-r--r--"]),
  );
});

test("the dashboard's page carries Preact's licence, since it contains Preact", () => {
  const file = "package/dist/dashboard/_generated/page.js";
  const page = run(app, "tar", "-xOzf", tarball, file);
  const licence = readFileSync(
    path.join(root, "node_modules/preact/LICENSE"),
    "utf8",
  );
  expect(page).toContain(JSON.stringify(licence.trim()).slice(1, -1));
});

test("the package ships the dashboard's page that its sources build", () => {
  // Packing has built it anew.
  const built = readFileSync(path.join(root, pageFile), "utf8");
  expect(built).toBe(committedPage);
  const [, page] = /^export const page: string = (.*);$/m.exec(built)!;
  const file = "package/dist/dashboard/_generated/page.js";
  expect(run(app, "tar", "-xOzf", tarball, file)).toContain(page);
});

describe.each(["Bundler", "NodeNext"])("with %s resolution", (resolution) => {
  test("a host app type-checks against every entry point", () => {
    typeCheck("convex", "typescript", resolution);
  });

  test.each(compilers)(
    "the apps of all pages type-check with exact optional properties and %s",
    (compiler) => {
      typeCheck("pages", compiler, resolution, {
        exactOptionalPropertyTypes: true,
      });
    },
  );
});

test.each(compilers)(
  "%s declares each type that an app infers from the package",
  (compiler) => {
    const emitted = { noEmit: false, outDir: "../declarations" };
    typeCheck("declared", compiler, "Bundler", {
      ...emitted,
      composite: true,
      declaration: true,
      emitDeclarationOnly: true,
    });
    const declarations = path.join(app, "declarations/app.d.ts");
    expect(readFileSync(declarations, "utf8")).toContain(
      'import("convex-rate-limiter").Needs<',
    );
  },
);

test("Node imports every entry point that has code", () => {
  const entries = Object.keys(manifest.exports).filter(
    (entry) => entry !== "./package.json",
  );
  const script = entries
    .map(
      (entry) =>
        `await import(${JSON.stringify(entry.replace(".", "convex-rate-limiter"))});`,
    )
    .join("\n");
  writeFileSync(path.join(app, "entries.js"), script);
  run(app, "node", "entries.js");
  expect(entries.length).toBeGreaterThan(6);
});

test("Convex's command pushes an app that mounts the package twice", async () => {
  const folder = path.join(app, "pushed");
  writeApp(folder, [
    ["package.json", JSON.stringify({ dependencies: { convex: "*" } })],
    ...Object.entries(hostApp).filter(([file]) =>
      /(convex.config|messages).ts$/.test(file),
    ),
  ]);
  const push = await bundleApp(folder);
  const { definitionPath, schema, functions } = push.componentDefinitions[0]!;
  expect(definitionPath).toMatch(
    /node_modules\/convex-rate-limiter\/dist\/component$/,
  );
  const component = await analyse(schema, functions);
  expect(component.functions.map(({ name }) => name)).toContain(
    "verbs:limitAll",
  );
  await analyse(null, push.appDefinition.changedModules, {});
});

test("an agent of Convex's component settles its hold and is charged for further steps", () => {
  const folder = path.join(host, "agent");
  const shown = readSnippets("docs/holds.md", ["@convex-dev/agent"]);
  const codeOf = (file: string) => {
    const snippet = shown.find(({ path }) => path === file);
    return snippet?.code ?? expect.fail(`There is no ${file} on the page.`);
  };
  const limits = codeOf("convex/rateLimiter.ts");
  const support = codeOf("convex/support.ts");
  writeFiles(folder, Object.entries(agentApp({ limits, support })));
  install("agent", folder);
  run(folder, "npx", "tsc", "--project", ".");
  run(folder, "npx", "vitest", "run");
});

test("an app and a component that know only the incumbent's name run on this package", async () => {
  const folder = path.join(host, "otherName");
  writeFiles(folder, Object.entries(otherNameApp));
  install("otherName", folder);
  run(folder, "npx", "tsc");
  run(folder, "npx", "vitest", "run");

  const { appDefinition, componentDefinitions } = await bundleApp(folder);
  const limiters = componentDefinitions
    .map(({ definitionPath }) => definitionPath)
    .filter((path) => path.includes("rate-limiter"));
  expect(limiters).toEqual([
    expect.stringMatching(
      /node_modules\/@convex-dev\/rate-limiter\/dist\/component$/,
    ),
  ]);
  const mounting = [appDefinition, ...componentDefinitions].filter(
    ({ dependencies }) => dependencies.includes(limiters[0]!),
  );
  expect(mounting).toHaveLength(2);
});

test("a new app's tests, as the documentation shows them, type-check and pass", () => {
  const folder = path.join(host, "documented");
  for (const [name, page] of [
    ["testing", "docs/testing.md"],
    ["skill", SKILL],
  ] as const) {
    writeFiles(path.join(folder, name), [
      ...appOf(page).files,
      ["convex/tsconfig.json", convexTsconfig],
    ]);
  }
  install("documented", folder);
  for (const name of ["testing", "skill"]) {
    run(folder, "npx", "tsc", "--project", `${name}/convex`);
  }
  run(folder, "npx", "vitest", "run");
});

test("publint reports nothing", () => {
  run(root, "npx", "publint", "--strict", tarball);
});

test("the types resolve for every kind of importer that can load ES modules", () => {
  run(root, "npx", "attw", tarball, "--profile", "esm-only");
});
