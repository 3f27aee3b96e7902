/// <reference types="vite/client" />
// The packages export neither their components' functions nor their schemas, and both are what is
// measured here.
import * as peerLib from "../node_modules/@convex-dev/rate-limiter/dist/component/lib.js";
import peerSchema from "../node_modules/@convex-dev/rate-limiter/dist/component/schema.js";
import schema from "../src/component/schema.js";
import type { Component, Modules } from "../sim/components.js";
import type { ScenarioLimit } from "./exact.js";

/** A package under test: its own functions and schema. Its mutation is `lib:rateLimit`. */
export type Limiter = Component & {
  name: string;
  /** The config to send with each call. */
  toSent: (config: ScenarioLimit) => ScenarioLimit & { advice?: false };
  /** In how many equal rows it keeps a limit. */
  rowsOf: (config: ScenarioLimit) => number | undefined;
  /** Whether an error means that the package can never grant so large a count. */
  isUnsupported: (error: unknown) => boolean;
};

export const peer: Limiter = {
  name: "@convex-dev/rate-limiter",
  modules: { lib: peerLib },
  loads: 6,
  schema: peerSchema,
  toSent: (config) => config,
  rowsOf: ({ shards }) => shards,
  // The other package refuses counts above two shards' capacity, even if the limit holds them.
  isUnsupported: (error) =>
    error instanceof Error && /count .* exceeds .* per/.test(error.message),
};

const component: Component = {
  modules: byName(
    import.meta.glob<Record<string, unknown>>(
      [
        "../src/component/**/*.ts",
        "!**/_generated/**",
        "!**/*.test.ts",
        "!**/*.test-d.ts",
      ],
      { eager: true },
    ),
  ),
  schema,
  loads: 2,
};

export const ours: Limiter = {
  name: "convex-rate-limiter",
  ...component,
  // Logging advice would draw random numbers.
  toSent: (config) => ({ ...config, advice: false }),
  // As many rows as shards, if each can hold two tokens.
  rowsOf: ({ shards }) => (shards === 1 ? 1 : undefined),
  isUnsupported: () => false,
};

function byName(files: Record<string, Record<string, unknown>>): Modules {
  const root = "../src/component/";
  return Object.fromEntries(
    Object.entries(files).map(([path, module]) => [
      path.slice(root.length, -".ts".length),
      module,
    ]),
  );
}
