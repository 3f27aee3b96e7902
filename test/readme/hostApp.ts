import type { Snippet } from "./snippets.js";

/** Where a fragment stands in the host app. */
export const fragmentPath = (snippet: Snippet): string =>
  `fragments/${snippet.where.replaceAll(/\W/g, "_")}.${snippet.language}`;

/** What a fragment may name without importing it. */
const AROUND_A_FRAGMENT = `import { api, components, ctx, internal, organisationId, rateLimiter, userId } from "./surroundings"; `;

/**
 * The host app that the pages describe: the blocks that are files, each fragment in a
 * file of its own, and what the pages take for granted.
 */
export function hostApp(snippets: readonly Snippet[]): Map<string, string> {
  const files = new Map(Object.entries(givenFiles));
  for (const snippet of snippets) {
    const { path, code } = snippet;
    if (path === undefined) {
      // On the first line, so that the lines of a diagnostic are those of the block.
      files.set(fragmentPath(snippet), `${AROUND_A_FRAGMENT}${code}`);
    } else if (files.has(path)) {
      throw new Error(`${snippet.where}: there is a second ${path}.`);
    } else {
      files.set(path, code);
    }
  }
  files.set("convex/_generated/api.ts", generatedApi([...files.keys()]));
  return files;
}

/** The modules of Convex functions among the files, without folder and extension. */
export function functionModules(files: readonly string[]): string[] {
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
import { rateLimitTables } from "convex-helpers/server/rateLimit";
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  ...rateLimitTables,
  messages: defineTable({ author: v.string(), body: v.string() }),
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
  "convex/passwords.ts": `
import type { MutationCtx } from "./_generated/server";

export async function passwordIsRight(ctx: MutationCtx, email: string, password: string): Promise<boolean> {
  const user = await ctx.db.query("users").withIndex("email", (q) => q.eq("email", email)).unique();
  return user !== null && password === "right";
}
`,
  "convex/model.ts": `
export async function callModel(prompt: string): Promise<{ text: string; tokens: number }> {
  return { text: prompt.toUpperCase(), tokens: 4 * prompt.length };
}
`,
  "fragments/surroundings.ts": `
import type { MutationCtx } from "../convex/_generated/server";

export { api, components, internal } from "../convex/_generated/api";
export { rateLimiter } from "../convex/rateLimiter";
export declare const ctx: MutationCtx;
export declare const userId: string;
export declare const organisationId: string;
`,
};
