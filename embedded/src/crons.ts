import type { TestConvex } from "convex-test";
import {
  componentsGeneric,
  type cronJobs,
  type FunctionReference,
  type GenericSchema,
  makeFunctionReference,
  type SchemaDefinition,
} from "convex/server";
import type { Value } from "convex/values";
import { Cron } from "croner";
import type { Modules, RegisteredFunction } from "./app.js";

export type Schedule = ReturnType<typeof cronJobs>["crons"][string]["schedule"];

type CronJob = {
  /** The function, as `module:export`. */
  name: string;
  args: [Record<string, Value>];
  schedule: Schedule;
};

/**
 * Runs the crons of a component by the clock; the path of the app itself is "". An interval begins
 * now, as on a deployment with its first push. A run that is due during another is skipped.
 */
export async function startCrons(
  t: TestConvex<SchemaDefinition<GenericSchema, boolean>>,
  component: string,
  modules: Modules,
  onRun: (name: string) => void,
): Promise<Cron[]> {
  const crons = (await moduleOf(modules, "crons"))?.default as
    { export(): string } | undefined;
  if (crons === undefined) return [];
  const jobs = JSON.parse(crons.export()) as Record<string, CronJob>;
  const started = Object.values(jobs).map(async ({ name, args, schedule }) => {
    const shown = component === "" ? name : `${component}/${name}`;
    const [module = "", exported = ""] = name.split(":");
    const registered = (await moduleOf(modules, module))?.[exported] as
      RegisteredFunction | undefined;
    const { pattern, interval } = patternOf(schedule);
    const options = { interval, timezone: "UTC", protect: true, unref: true };
    return new Cron(pattern, options, async () => {
      try {
        await t.action((ctx) =>
          registered?.isAction
            ? ctx.runAction(functionOf<"action">(component, name), ...args)
            : ctx.runMutation(functionOf<"mutation">(component, name), ...args),
        );
        onRun(shown);
      } catch (error) {
        console.error(`The cron ${shown} has failed.`, error);
      }
    });
  });
  return Promise.all(started);
}

async function moduleOf(
  modules: Modules,
  name: string,
): Promise<Record<string, unknown> | undefined> {
  const path = Object.keys(modules).find((one) =>
    one.replace(/\.\w+$/, "").endsWith(`/${name}`),
  );
  const module = path === undefined ? undefined : await modules[path]!();
  return module as Record<string, unknown> | undefined;
}

function functionOf<Kind extends "mutation" | "action">(
  component: string,
  name: string,
): FunctionReference<Kind> {
  if (component === "") return makeFunctionReference<Kind>(name);
  const [module = "", exported = ""] = name.split(":");
  // A reference into a component: `components.rateLimiter.vacuum.vacuum`.
  return [...module.split("/"), exported].reduce(
    (reference, part) => reference[part] as typeof reference,
    componentsGeneric()[component]!,
  ) as unknown as FunctionReference<Kind>;
}

/** A cron pattern in UTC, with a field for seconds, and the minimum seconds between two runs. */
export function patternOf(schedule: Schedule): {
  pattern: string;
  interval?: number;
} {
  switch (schedule.type) {
    case "interval": {
      const interval =
        "seconds" in schedule
          ? schedule.seconds
          : "minutes" in schedule
            ? schedule.minutes * 60
            : schedule.hours * 3_600;
      return { pattern: "* * * * * *", interval };
    }
    case "hourly":
      return { pattern: `0 ${schedule.minuteUTC ?? 0} * * * *` };
    case "daily": {
      const { minuteUTC = 0, hourUTC } = schedule;
      return { pattern: `0 ${minuteUTC} ${hourUTC} * * *` };
    }
    case "weekly": {
      const { minuteUTC = 0, hourUTC, dayOfWeek } = schedule;
      const day = dayOfWeek.slice(0, 3).toUpperCase();
      return { pattern: `0 ${minuteUTC} ${hourUTC} * * ${day}` };
    }
    case "monthly": {
      const { minuteUTC = 0, hourUTC, day } = schedule;
      return { pattern: `0 ${minuteUTC} ${hourUTC} ${day} * *` };
    }
    case "cron":
      return { pattern: `0 ${schedule.cron}` };
  }
}
