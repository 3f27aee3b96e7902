import { convexTest } from "convex-test";
import {
  componentsGeneric,
  defineSchema,
  defineTable,
  makeFunctionReference,
  type DataModelFromSchemaDefinition,
  type GenericMutationCtx,
} from "convex/server";
import { v } from "convex/values";
import type { ActionCtx, SchedulingCtx } from "convex-rate-limiter";
import type { ComponentApi } from "convex-rate-limiter/_generated/component.js";
import { register } from "convex-rate-limiter/test";
import { afterEach, beforeEach, vi } from "vitest";
import type {
  DataModel as ComponentDataModel,
  TableNames,
} from "../../src/component/_generated/dataModel.js";

/** A UTC midnight. */
export const MIDNIGHT = Date.UTC(2026, 0, 1);

export const components = componentsGeneric() as unknown as {
  rateLimiter: ComponentApi;
};

const schema = defineSchema({
  notes: defineTable({ text: v.string() }),
});

export type HostDataModel = DataModelFromSchemaDefinition<typeof schema>;

export type HostCtx = GenericMutationCtx<HostDataModel>;

export type Host = ReturnType<typeof startHost>;

type Modules = Record<string, () => Promise<unknown>>;

/** A host app that mounts the component as `rateLimiter`, with the modules that a test gives it. */
export function startHost(
  options: {
    modules?: Modules;
    /** Convex's own limits, or what one transaction may read and write. */
    transactionLimits?:
      boolean | { documentsRead?: number; documentsWritten?: number };
  } = {},
) {
  const t = convexTest({
    schema,
    modules: { "./_generated/api.ts": async () => ({}), ...options.modules },
    transactionLimits: options.transactionLimits,
  });
  register(t);
  return t;
}

/** Stops the clock at `now`, but not the timers. */
export function freezeClock(now: number): void {
  vi.useFakeTimers({ now, toFake: ["Date"] });
}

/** Stops the clock at `now` for each test of a file. */
export function useStillClock(now: number = MIDNIGHT): void {
  beforeEach(() => freezeClock(now));
  afterEach(() => void vi.useRealTimers());
}

/** Also stops timers, so that no scheduled job starts by itself or outlives its test. */
export function useStillTimers(now: number = MIDNIGHT): void {
  beforeEach(() => void vi.useFakeTimers({ now }));
  afterEach(() => void vi.useRealTimers());
}

/** No call of a file schedules housekeeping: it runs only where a test starts it. */
export function useNoHousekeeping(): void {
  beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.999));
  afterEach(() => void vi.restoreAllMocks());
}

type BothCtx = HostCtx & SchedulingCtx & ActionCtx;

/** Runs in a mutation whose ctx also passes for that of an action. */
export const inBoth = <T>(t: Host, run: (ctx: BothCtx) => Promise<T>) =>
  t.run((ctx) =>
    run({ ...ctx, runAction: ctx.runMutation } as unknown as BothCtx),
  );

type ComponentCtx = GenericMutationCtx<ComponentDataModel>;

/** Runs a function on the component's own tables. */
export function inComponent<T>(
  t: Host,
  handler: (ctx: ComponentCtx) => Promise<T>,
): Promise<T> {
  // convex-test has this, but does not declare it.
  const { runInComponent } = t as unknown as {
    runInComponent: (
      path: string,
      handler: (ctx: ComponentCtx) => Promise<T>,
    ) => Promise<T>;
  };
  return runInComponent("rateLimiter", handler);
}

/** All that the component has stored in a table. */
export function stored<Table extends TableNames>(t: Host, table: Table) {
  return inComponent(t, ({ db }) => db.query(table).collect());
}

/** Each stored row, whole. */
export const storedRows = (t: Host) => stored(t, "rateLimits");

/** All jobs that the component has scheduled, also those that have run. */
export function scheduledJobs(t: Host) {
  return inComponent(t, ({ db }) =>
    db.system.query("_scheduled_functions").collect(),
  );
}

/** Runs an internal mutation of the component, as its crons and jobs do: "jobs:vacuum". */
export function runInternal(
  t: Host,
  name: string,
  args: object = {},
): Promise<unknown> {
  const reference = makeFunctionReference<"mutation">(name);
  return inComponent(t, (ctx) =>
    ctx.runMutation(reference as never, args as never),
  );
}

/** Runs one transaction of the vacuum, as its cron does. What it schedules is left to the caller. */
export async function runVacuum(t: Host): Promise<void> {
  await runInternal(t, "jobs:vacuum");
}

/** Folds the events of one limit, or of all, in one transaction. */
export async function fold(
  t: Host,
  args: { name?: string } = {},
): Promise<void> {
  await runInternal(t, "jobs:fold", args);
}
