/// <reference types="vite/client" />
import { defineSchema } from "convex/server";
import { ConvexError } from "convex/values";
// The packages export neither their components' functions nor their schemas, and both are what is
// measured here.
import * as workerLib from "../node_modules/@convex-dev/batch-worker/dist/component/lib.js";
import * as workerLoop from "../node_modules/@convex-dev/batch-worker/dist/component/loop.js";
import * as workerMonitor from "../node_modules/@convex-dev/batch-worker/dist/component/monitor.js";
import workerSchema from "../node_modules/@convex-dev/batch-worker/dist/component/schema.js";
import * as peerLib from "../node_modules/@convex-dev/rate-limiter/dist/component/lib.js";
import peerSchema from "../node_modules/@convex-dev/rate-limiter/dist/component/schema.js";
import * as peerWorker from "../node_modules/@convex-dev/rate-limiter/dist/component/worker.js";
import schema from "../src/component/schema.js";
import type { Component, Modules } from "../sim/components.js";
import { isAsynchronous, type ScenarioLimit } from "./exact.js";
import * as host from "./host.js";
import type { Guarantee } from "./oracle.js";

/** A package under test: its own functions and schema. */
export type Limiter = Component & {
  name: string;
  /** The app that serves a limit, and its mutation that takes a name, a count and a config. */
  served: (config: ScenarioLimit) => {
    app: Component;
    mutation: string;
    config: Omit<ScenarioLimit, "shards"> & { shards?: number; advice?: false };
    guarantee: Guarantee;
  };
  /** Whether an error means that the package can never grant so large a count. */
  isUnsupported: (error: unknown, config: ScenarioLimit) => boolean;
};

const rateLimiter: Component = {
  modules: { lib: peerLib, worker: peerWorker },
  schema: peerSchema,
  components: {
    batchWorker: {
      modules: { lib: workerLib, loop: workerLoop, monitor: workerMonitor },
      schema: workerSchema,
    },
  },
};

export const peer: Limiter = {
  name: "@convex-dev/rate-limiter",
  ...rateLimiter,
  served: (config) => {
    if (!isAsynchronous(config)) {
      return {
        app: rateLimiter,
        mutation: "lib:rateLimit",
        config,
        guarantee: { kind: "exact", rows: config.shards },
      };
    }
    // In this mode the other package's client does the work. It knows neither shards nor headroom.
    const { shards: _, headroom: __, ...rest } = config;
    return {
      app: {
        schema: defineSchema({}),
        modules: { host },
        components: { rateLimiter },
      },
      mutation: "host:limit",
      config: rest,
      guarantee: { kind: "none" },
    };
  },
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
};

export const ours: Limiter = {
  name: "convex-rate-limiter",
  ...component,
  served: (config) => ({
    app: component,
    mutation: "lib:rateLimit",
    // Logging advice would draw random numbers.
    config: { ...config, advice: false },
    guarantee: isAsynchronous(config)
      ? { kind: "in flight" }
      : { kind: "exact", rows: rowsInUse(config) },
  }),
  // No request can have tokens that are held back.
  isUnsupported: (error, { headroom = 0 }) =>
    headroom > 0 &&
    error instanceof ConvexError &&
    (error.data as { kind?: string }).kind === "ExceedsCapacity",
};

/** As many rows as shards, if each can hold two tokens. */
function rowsInUse({ rate, capacity = rate, shards }: ScenarioLimit): number {
  return Math.max(1, Math.min(shards, Math.floor(capacity / 2)));
}

function byName(files: Record<string, Record<string, unknown>>): Modules {
  const root = "../src/component/";
  return Object.fromEntries(
    Object.entries(files).map(([path, module]) => [
      path.slice(root.length, -".ts".length),
      module,
    ]),
  );
}
