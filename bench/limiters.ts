/// <reference types="vite/client" />
import type { GenericSchema, SchemaDefinition } from "convex/server";
// The package exports neither its component's functions nor its schema, and both are what is measured here.
import * as peerLib from "../node_modules/@convex-dev/rate-limiter/dist/component/lib.js";
import peerSchema from "../node_modules/@convex-dev/rate-limiter/dist/component/schema.js";
import schema from "../src/component/schema.js";
import { parseLimit } from "../src/core/config.js";
import type { LimitConfig } from "./exact.js";
import type { Modules } from "./transaction.js";

/** A package under test: its own functions and schema. */
export type Limiter = {
  name: string;
  modules: Modules;
  schema: SchemaDefinition<GenericSchema, boolean>;
  /** How many rows it splits a limit over. */
  rows: (config: LimitConfig) => number;
  /** Whether an error says that it can never grant so large a count. */
  isUnsupported: (error: unknown) => boolean;
};

export const peer: Limiter = {
  name: "@convex-dev/rate-limiter",
  modules: { lib: peerLib },
  schema: peerSchema,
  rows: ({ shards }) => shards,
  // It refuses counts above two shards' capacity, even if the limit holds them.
  isUnsupported: (error) =>
    error instanceof Error && /count .* exceeds .* per/.test(error.message),
};

export const ours: Limiter = {
  name: "convex-rate-limiter",
  modules: byName(
    import.meta.glob<Record<string, unknown>>(
      ["../src/component/*.ts", "!**/*.test.ts", "!**/*.test-d.ts"],
      { eager: true },
    ),
  ),
  schema,
  rows: (config) => parseLimit("limit", config).shards,
  isUnsupported: () => false,
};

function byName(files: Record<string, Record<string, unknown>>): Modules {
  return Object.fromEntries(
    Object.entries(files).map(([path, module]) => [
      path.slice(path.lastIndexOf("/") + 1, -".ts".length),
      module,
    ]),
  );
}
