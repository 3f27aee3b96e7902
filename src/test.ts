import type { GenericSchema, SchemaDefinition } from "convex/server";
import type { TestConvex } from "convex-test";
import * as api from "./component/_generated/api.js";
import * as clear from "./component/clear.js";
import * as crons from "./component/crons.js";
import * as forget from "./component/forget.js";
import * as holds from "./component/holds.js";
import * as lib from "./component/lib.js";
import * as list from "./component/list.js";
import * as lookAtAnswers from "./component/lookAtAnswers.js";
import * as lookAtRows from "./component/lookAtRows.js";
import * as overrides from "./component/overrides.js";
import * as shrink from "./component/shrink.js";
import * as stats from "./component/stats.js";
import * as time from "./component/time.js";
import * as overrideWithCredit from "./component/overrideWithCredit.js";
import * as vacuum from "./component/vacuum.js";
import schema from "./component/schema.js";

const loaded = {
  "_generated/api": api,
  clear,
  crons,
  forget,
  holds,
  lib,
  list,
  lookAtAnswers,
  lookAtRows,
  overrides,
  shrink,
  stats,
  time,
  overrideWithCredit,
  vacuum,
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
