import type { Crons } from "convex/server";
import type { Address, Mounts } from "./components.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type CronRuns = {
  address: Address;
  args: Record<string, unknown>;
  firstMs: number;
  everyMs: number;
};

/** When the crons of all components run. The simulation begins at midnight UTC. */
export function* cronRuns(mounts: Mounts): Iterable<CronRuns> {
  for (const [path, { modules }] of mounts) {
    for (const module of Object.values(modules)) {
      if (!isCrons(module.default)) continue;
      for (const cron of Object.values(module.default.crons)) {
        yield {
          address: { path, name: cron.name },
          args: (cron.args as Record<string, unknown>[])[0] ?? {},
          ...times(cron.schedule),
        };
      }
    }
  }
}

function isCrons(value: unknown): value is Crons {
  return typeof value === "object" && value !== null && "isCrons" in value;
}

function times(schedule: Crons["crons"][string]["schedule"]) {
  if (schedule.type === "hourly") {
    const firstMs = (schedule.minuteUTC ?? 0) * MINUTE_MS;
    return { firstMs, everyMs: HOUR_MS };
  }
  if (schedule.type !== "interval") {
    throw new Error(`the simulator knows no ${schedule.type} crons`);
  }
  const everyMs =
    "seconds" in schedule
      ? schedule.seconds * 1000
      : "minutes" in schedule
        ? schedule.minutes * MINUTE_MS
        : schedule.hours * HOUR_MS;
  return { firstMs: everyMs, everyMs };
}
