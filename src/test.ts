import type { GenericSchema, SchemaDefinition } from "convex/server";
import type { TestConvex } from "convex-test";
import * as api from "./component/_generated/api.js";
import * as crons from "./component/crons.js";
import * as jobs from "./component/jobs.js";
import * as lib from "./component/lib.js";
import * as looks from "./component/looks.js";
import * as operators from "./component/operators.js";
import * as time from "./component/time.js";
import * as verbs from "./component/verbs.js";
import schema from "./component/schema.js";

const loaded = {
  "_generated/api": api,
  crons,
  jobs,
  lib,
  looks,
  operators,
  time,
  verbs,
};

/** The component's modules, already loaded, in the form that `convex-test` expects. */
const modules: Record<string, () => Promise<unknown>> = Object.fromEntries(
  Object.entries(loaded).map(([name, module]) => [
    `./component/${name}.ts`,
    async () => module,
  ]),
);

/**
 * Registers the component with `convex-test`, so that an app's tests run with its real limits.
 *
 * @param t What `convexTest` returned.
 * @param name The name under which the app mounts the component. Default `rateLimiter`.
 */
export function register(
  t: TestConvex<SchemaDefinition<GenericSchema, boolean>>,
  name: string = "rateLimiter",
): void {
  t.registerComponent(name, schema, modules);
}

export { modules, schema };
export default { register, schema, modules };
