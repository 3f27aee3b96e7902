import { readSnippets, type Snippet } from "./snippets.js";

export const README = "README.md";

/** Where a fragment stands in the host app. */
export const fragmentPath = (snippet: Snippet): string =>
  `fragments/${snippet.where.replaceAll(/\W/g, "_")}.${snippet.language}`;

/** What a fragment may name without importing it. */
const AROUND_A_FRAGMENT = `import { api, components, ctx, internal, rateLimiter, teamId, userId } from "./surroundings"; `;

/** A host app that a page describes: what the page shows, or one section of it. */
type HostApp = {
  name: string;
  snippets: Snippet[];
  files: Map<string, string>;
};

/**
 * The host apps of a page. If it shows the limits more than once, as the recipes do, each
 * section is an app of its own. All of them build on the README's.
 */
export function appsOf(page: string, packages?: readonly string[]): HostApp[] {
  const shown = readSnippets(page, packages);
  const base = page === README ? [] : readSnippets(README);
  const app = (name: string, snippets: Snippet[]): HostApp => ({
    name,
    snippets,
    files: hostApp(snippets, base),
  });
  if (
    shown.filter(({ path }) => path !== undefined && isLimits(path)).length < 2
  ) {
    return [app(page, shown)];
  }
  return [...new Set(shown.map(({ section }) => section))].map((section) =>
    app(
      `${page}#${section}`,
      shown.filter((snippet) => snippet.section === section),
    ),
  );
}

/** The host app of this name: a page, or a section of one. */
export function appOf(name: string): HostApp {
  const app = appsOf(name.split("#")[0]!).find((app) => app.name === name);
  if (app === undefined)
    throw new Error(`No page or section ${name} is an app.`);
  return app;
}

/**
 * The host app that a page describes: its blocks that are files, each of its fragments in
 * a file of its own, and what it takes for granted: some files that no page shows, and
 * those of `base`, another page, that it names and does not show itself.
 */
export function hostApp(
  page: readonly Snippet[],
  base: readonly Snippet[] = [],
): Map<string, string> {
  const files = new Map(Object.entries(givenFiles));
  const shown = new Set<string>();
  for (const snippet of page) {
    const { path, code } = snippet;
    if (path === undefined) {
      // On the first line, so that the lines of a diagnostic are those of the block.
      files.set(fragmentPath(snippet), `${AROUND_A_FRAGMENT}${code}`);
      continue;
    }
    if (shown.has(path)) {
      throw new Error(`${snippet.where}: there is a second ${path}.`);
    }
    shown.add(path);
    files.set(path, isLimits(path) ? `${importsOf(code)}${code}` : code);
  }
  // From the last one on, since a page's files name those before them.
  for (const { path, code } of base.toReversed()) {
    if (path === undefined || shown.has(path)) continue;
    const module = /^convex\/(\w+)\.ts$/.exec(path)?.[1];
    const texts = [...files.values()].join("\n");
    const isNamed = new RegExp(`/${module}"|api\\.${module}\\.`).test(texts);
    if (isNamed) files.set(path, code);
  }
  files.set("convex/_generated/api.ts", generatedApi([...files.keys()]));
  return files;
}

const isLimits = (path: string) => path === "convex/rateLimiter.ts";

/** What the limits of a recipe need, and it leaves out: the reader's own file has it. On one line. */
function importsOf(code: string): string {
  if (/^import /m.test(code)) return "";
  const names = code.match(/\b(RateLimiter|SECOND|MINUTE|HOUR|DAY|WEEK)\b/g)!;
  return `import { ${[...new Set(names)].join(", ")} } from "convex-rate-limiter"; import { components } from "./_generated/api"; `;
}

/** The modules of Convex functions among the files, without folder and extension. */
function functionModules(files: readonly string[]): string[] {
  return files
    .map((path) => /^convex\/(\w+)\.ts$/.exec(path)?.[1])
    .filter((name) => name !== undefined)
    .filter((name) => name !== "schema");
}

function generatedApi(files: readonly string[]): string {
  const names = functionModules(files);
  return `
import { anyApi, componentsGeneric, type ApiFromModules, type FilterApi, type FunctionReference } from "convex/server";
import type { ComponentApi } from "convex-rate-limiter/_generated/component.js";
${names.map((name) => `import type * as ${name} from "../${name}";`).join("\n")}

type FullApi = ApiFromModules<{ ${names.map((name) => `${name}: typeof ${name}`).join("; ")} }>;
export const api = anyApi as unknown as FilterApi<FullApi, FunctionReference<any, "public">>;
export const internal = anyApi as unknown as FilterApi<FullApi, FunctionReference<any, "internal">>;
export const components = componentsGeneric() as unknown as { rateLimiter: ComponentApi<"rateLimiter"> };
`;
}

const givenFiles = {
  "convex/schema.ts": `
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  accounts: defineTable({ plan: v.union(v.literal("free"), v.literal("pro")), timeZone: v.string() }),
  credits: defineTable({ userId: v.string(), left: v.number() }).index("userId", ["userId"]),
  exports: defineTable({ accountId: v.id("accounts") }),
  loginCodes: defineTable({ email: v.string(), code: v.string() }).index("email", ["email"]),
  messages: defineTable({ author: v.string(), text: v.string() }),
  payments: defineTable({ eventId: v.string() }).index("eventId", ["eventId"]),
  questions: defineTable({ text: v.string() }),
  uploads: defineTable({ owner: v.string(), holdId: v.string(), storageId: v.optional(v.id("_storage")) }),
  users: defineTable({ email: v.string() }).index("email", ["email"]),
});
`,
  "convex/_generated/dataModel.ts": `
import type { DataModelFromSchemaDefinition } from "convex/server";
import type schema from "../schema";

export type DataModel = DataModelFromSchemaDefinition<typeof schema>;
`,
  "convex/_generated/server.ts": `
import {
  actionGeneric, httpActionGeneric, internalActionGeneric, internalMutationGeneric, internalQueryGeneric,
  mutationGeneric, queryGeneric,
  type ActionBuilder, type GenericActionCtx, type GenericMutationCtx, type GenericQueryCtx,
  type HttpActionBuilder, type MutationBuilder, type QueryBuilder,
} from "convex/server";
import type { DataModel } from "./dataModel";

export const query = queryGeneric as QueryBuilder<DataModel, "public">;
export const internalQuery = internalQueryGeneric as QueryBuilder<DataModel, "internal">;
export const mutation = mutationGeneric as MutationBuilder<DataModel, "public">;
export const internalMutation = internalMutationGeneric as MutationBuilder<DataModel, "internal">;
export const action = actionGeneric as ActionBuilder<DataModel, "public">;
export const internalAction = internalActionGeneric as ActionBuilder<DataModel, "internal">;
export const httpAction = httpActionGeneric as HttpActionBuilder;
export type QueryCtx = GenericQueryCtx<DataModel>;
export type MutationCtx = GenericMutationCtx<DataModel>;
export type ActionCtx = GenericActionCtx<DataModel>;
`,
  "convex/mails.ts": `
import { v } from "convex/values";
import { internalAction } from "./_generated/server";

export const send = internalAction({
  args: { to: v.string() },
  handler: async (_ctx, { to }) => {
    await fetch("https://mail.example.com/", { method: "POST", body: to });
  },
});
`,
  "convex/model.ts": `
/** A language model behind an API. */
export async function callModel(prompt: string): Promise<{ text: string; tokens: number }> {
  const response = await fetch("https://model.example.com/answers", {
    method: "POST",
    body: JSON.stringify({ prompt }),
  });
  if (!response.ok) throw new Error(\`The model answered \${response.status}.\`);
  return (await response.json()) as { text: string; tokens: number };
}

/** The same, part by part: one on each line. */
export async function* streamModel(prompt: string): AsyncGenerator<{ text: string; tokens: number }, void, void> {
  const response = await fetch("https://model.example.com/streams", {
    method: "POST",
    body: JSON.stringify({ prompt }),
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      yield { text: part.value, tokens: 10 };
    }
  } finally {
    await reader.cancel();
  }
}
`,
  "fragments/surroundings.ts": `
import type { MutationCtx } from "../convex/_generated/server";

export { api, components, internal } from "../convex/_generated/api";
export { rateLimiter } from "../convex/rateLimiter";
export declare const ctx: MutationCtx;
export declare const userId: string;
export declare const teamId: string;
`,
};
