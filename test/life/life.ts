import type { LimitConfig, Weekday } from "convex-rate-limiter";
import { isInShare } from "../../src/core/hash.js";
import { Deployment, type Answer } from "../../sim/deployment.js";
import type { FaultRates } from "../../sim/faults.js";
import { naiveStarts } from "../corners/naiveCalendar.js";
import type { ModelConfig } from "../model.js";
import { Judge } from "./judge.js";
import type { Judged } from "./turn.js";
import {
  Halfway,
  host,
  newApp,
  type App,
  type Done,
  type Ids,
  type Step,
  type Told,
} from "./steps.js";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

/** Whose days and weeks windows follow, or from when on by the clocks there: `weekStart` then says nothing. */
export type Place = {
  timeZone: string;
  weekStart: Weekday;
  start?: number | undefined;
};

/** What else a deploy may change of limits in rows: when windows start, how long those of a calendar are, the kind. */
export type Windows = {
  start: number;
  period: "day" | "week" | "month";
  kind: "token bucket" | "fixed window" | undefined;
};

/** A limit, whose windows may be those of a calendar: then the period is how long they are on average. */
export type LifeConfig = ModelConfig & {
  calendar?: (Place & { period: "day" | "week" | "month" }) | undefined;
};

/** One mutation of the host. */
export type Mutation = {
  /** In how many ms after the one before it is called. */
  after: number;
  steps: Step[];
  /** Whether the host throws at its end, so that nothing of it counts. */
  throws: boolean;
  /**
   * If the one before it was denied, it asks the same once more: just in time, or 1 ms too soon. Only of calls
   * that come one at a time.
   */
  again?: "in time" | "too soon" | undefined;
};

/** A run: the limits, what is called, and how clocks go. */
export type Life = {
  limits: Record<string, LifeConfig>;
  /** The date on which the run begins. Default the first of January 2026. */
  from?: string;
  mutations: Mutation[];
  executionMs: number;
  /** Clocks are wrong by up to so many ms, each transaction's by its own. */
  jitterMs: number;
  /** From these times on, all clocks are wrong by so many ms. */
  clockSteps: { at: number; errorMs: number }[];
  /** What goes wrong: with the vacuum, which runs every hour, and with all that is scheduled. */
  faults: FaultRates;
  /** From this mutation on the app is also deployed so that it splits its limits over so many rows, or as many. */
  deploy?:
    | {
        before: number;
        shards?: number | "auto" | undefined;
        windows?: Windows | undefined;
        /** And so that its calendars are those of another place, or windows that are all as long. */
        place?: Place | "none" | undefined;
        /** Of so many mutations from then on every other one still runs the old version. */
        mixed?: number;
      }
    | undefined;
  /** The keys of limits, beside none. Default "a" and "b". */
  keys?: readonly string[];
  /** Whether each mutation is called only when the one before has been answered. */
  alone?: boolean;
  seed: number;
};

/** What runs did, as totals. */
export type Totals = Record<
  | "runs"
  | "calls"
  | "transactions"
  | "conflicts"
  | "gaveUp"
  | "thrown"
  | "scheduled",
  number
>;

export const noTotals = (): Totals => ({
  runs: 0,
  calls: 0,
  transactions: 0,
  conflicts: 0,
  gaveUp: 0,
  thrown: 0,
  scheduled: 0,
});

const BEGIN_MS = 10_000_000;

/** How long the periods of the calendar are on average. */
export const LENGTHS = { day: DAY, week: 7 * DAY, month: 30.436875 * DAY };

/** Runs a life and judges each of its transactions. */
export async function live(
  life: Life,
  totals: Totals = noTotals(),
): Promise<void> {
  await new Run(life, totals).run();
}

class Run {
  private readonly versions: readonly [App, App];
  /** When their windows start that follow a calendar. */
  private readonly starts: readonly NonNullable<Judged["starts"]>[];
  /** What each version says of windows. */
  private readonly windows: readonly Judged["windows"][];
  private readonly judge: Judge;
  private readonly deployment: Deployment;
  private readonly broken: unknown[] = [];
  private readonly mutations: readonly Mutation[];
  private at = BEGIN_MS;

  constructor(
    private readonly life: Life,
    private readonly totals: Totals,
  ) {
    const { limits, executionMs, seed, faults, keys = ["a", "b"] } = life;
    const { shards, place, windows } = life.deploy ?? {};
    const app = newApp(toApps(limits, undefined, undefined));
    const isMoved = windows !== undefined;
    const changed = changedBy(limits, windows);
    const next = { ...newApp(toApps(changed, shards, place)), ids: app.ids };
    this.versions = [app, next];
    this.starts = [
      this.startsOf(limits, undefined),
      this.startsOf(changed, place),
    ];
    this.windows = isMoved ? [windowsOf(limits), windowsOf(changed)] : [];
    this.judge = new Judge(limits, keys, isInShare, this.deploys(), isMoved);
    this.deployment = new Deployment({
      ...host,
      executionMs,
      seed,
      faults,
      crons: true,
      epochMs: Date.parse(this.from),
      clockErrorMs: (atMs) => this.clockError(atMs),
      watch: (writes) => this.judge.watch(writes),
    });
    // At last everything is looked at, when nothing else runs.
    const steps = Object.keys(limits).flatMap((name) =>
      [...keys, undefined].map((key): Step => ({
        verb: "getValue",
        of: { name, key },
      })),
    );
    const last = { after: 30_000, throws: false, steps };
    this.mutations = [...life.mutations, last];
  }

  async run(): Promise<void> {
    if (this.life.alone) this.call(0, this.mutations[0]!);
    else this.mutations.forEach((mutation, i) => this.call(i, mutation));
    await this.deployment.run();
    this.totals.runs++;
    this.totals.scheduled += this.deployment.scheduled.runs;
    const { scheduledErrors } = this.deployment;
    for (const error of [...this.broken, ...scheduledErrors]) throw error;
  }

  private get from(): string {
    return this.life.from ?? "2026-01-01";
  }

  private startsOf(limits: Life["limits"], place: Place | "none" | undefined) {
    const { from } = this;
    const starts = Object.entries(limits).map(([name, { calendar }]) => {
      if (calendar === undefined || place === "none") {
        return [name, undefined] as const;
      }
      const { timeZone, weekStart, start } = place ?? calendar;
      const { period } = calendar;
      const of = naiveStarts([timeZone, from], period, weekStart, start);
      return [name, of] as const;
    });
    return Object.fromEntries(starts);
  }

  /** How wrong clocks are at a time. */
  private clockError(atMs: number): number {
    const { clockSteps, jitterMs } = this.life;
    const step = clockSteps.findLast(({ at }) => at <= atMs);
    // Some number that depends on the time alone.
    const part =
      ((Math.imul(Math.floor(atMs * 1000), 2654435761) >>> 8) % 1000) / 1000;
    return (step?.errorMs ?? 0) + Math.round((part - 0.5) * 2 * jitterMs);
  }

  /** Which version of the app runs a mutation. */
  private version(index: number): 0 | 1 {
    const { before = Infinity, mixed = 0 } = this.life.deploy ?? {};
    if (index < before) return 0;
    return index < before + mixed && (index - before) % 2 === 1 ? 0 : 1;
  }

  /** How often another version follows on one, after which rows may add a capacity: not if only `start` moves. */
  private deploys(): number {
    const { mutations, deploy, limits } = this.life;
    const isKept = Object.values(limits).every(
      ({ calendar }) => calendar === undefined,
    );
    const { shards, windows } = deploy ?? {};
    if (shards === undefined && windows?.kind === undefined && isKept) return 0;
    // The one after all of them is the last look.
    const later = [...mutations.keys()].map((i) => i + 1);
    return later.filter((i) => this.version(i) !== this.version(i - 1)).length;
  }

  private call(index: number, { after, steps, throws }: Mutation): void {
    this.at += after;
    const { at } = this;
    const app = this.versions[this.version(index)];
    this.deployment.call(at, "steps:run", { app, steps, throws }, (answer) => {
      this.totals.transactions++;
      this.totals.conflicts += answer.conflicts;
      if (this.broken.length > 0) return;
      const told = this.answered(answer, this.version(index));
      const next = this.mutations[index + 1];
      if (!this.life.alone || next === undefined) return;
      this.at = at + (answer.kind === "answered" ? answer.latencyMs : 0);
      this.call(index + 1, this.again(next, told, at));
    });
  }

  /** The mutation, or if it is one of those the last request that was denied, at its time. */
  private again(
    mutation: Mutation,
    told: readonly Told[],
    at: number,
  ): Mutation {
    if (mutation.again === undefined) return mutation;
    const denied = told.findLast(
      (one) =>
        one.verb === "limit" && one.answer !== "exceeds" && !one.answer.ok,
    );
    if (denied?.verb !== "limit" || denied.answer === "exceeds")
      return mutation;
    const { answer, of, ask, verb } = denied;
    if (answer.ok) return mutation;
    const early = mutation.again === "in time" ? 0 : 1;
    const after = at + answer.retryAfter - early - this.at;
    if (after < 0 || after > DAY) return mutation;
    return { after, steps: [{ verb, of, ask }], throws: false };
  }

  /** Judges what a mutation was told. */
  private answered(answer: Answer, version: 0 | 1): readonly Told[] {
    if (answer.kind === "gave up") {
      this.totals.gaveUp++;
      return [];
    }
    const { returned, now, seen, looked, commits, writes } = answer;
    try {
      const isThrown = "error" in returned;
      const { told, ids } = isThrown
        ? doneBefore(returned.error)
        : (returned.value as Done);
      this.totals.calls += told.length;
      if (isThrown) this.totals.thrown++;
      const counts = !isThrown && writes.length > 0;
      const starts = this.starts[version]!;
      const windows = this.windows[version];
      const judged = { now, seen, looked, commits, told, counts };
      const shards = version === 1 ? this.life.deploy?.shards : undefined;
      this.judge.judge({ ...judged, starts, windows, shards });
      if (!isThrown) this.keep(ids);
      return told;
    } catch (error) {
      this.broken.push(error);
      return [];
    }
  }

  private keep({ holds, leases, jobs }: Ids): void {
    const { ids } = this.versions[0];
    ids.holds.push(...holds);
    ids.leases.push(...leases);
    ids.jobs.push(...jobs);
  }
}

/** The limits in rows with other windows. */
function changedBy(
  limits: Life["limits"],
  windows: Windows | undefined,
): Life["limits"] {
  if (windows === undefined) return limits;
  const { start, period, kind } = windows;
  const changed = Object.entries(limits).map(
    ([name, config]): [string, LifeConfig] => {
      const { calendar } = config;
      if (config.kind === "concurrency") return [name, config];
      if (config.applyUpdates === "asynchronously") return [name, config];
      if (calendar !== undefined) {
        const other = {
          period: LENGTHS[period],
          calendar: { ...calendar, period },
        };
        return [name, { ...config, ...other }];
      }
      return (kind ?? config.kind) === "fixed window"
        ? [name, { ...config, kind: "fixed window", start }]
        : [name, { ...config, kind: "token bucket", start: undefined }];
    },
  );
  return Object.fromEntries(changed);
}

/** What of the configs says which windows there are. */
function windowsOf(limits: Life["limits"]): Judged["windows"] {
  const windows = Object.entries(limits).flatMap(([name, config]) => {
    if (config.kind === "concurrency") return [];
    const { kind, start, period } = config;
    return [[name, { kind, start, period }] as const];
  });
  return Object.fromEntries(windows);
}

/** The configs that an app gives, perhaps over another number of rows, and by the calendar of another place. */
function toApps(
  limits: Life["limits"],
  shards: number | "auto" | undefined,
  place: Place | "none" | undefined,
): Record<string, LimitConfig> {
  const configs = Object.entries(limits).map(
    ([name, config]): [string, LimitConfig] => {
      const { calendar, ...plain } = config;
      const isSplit = shards !== undefined && plain.shards !== undefined;
      const split = isSplit ? { ...plain, shards } : plain;
      if (calendar === undefined) return [name, split];
      if (place === "none") {
        return [name, { ...split, start: 0 } as LimitConfig];
      }
      const { period } = calendar;
      const { timeZone, weekStart, start } = place ?? calendar;
      const isWeek = period === "week" && start === undefined && { weekStart };
      const window = { ...split, period, timeZone, start, ...isWeek };
      return [name, window as LimitConfig];
    },
  );
  return Object.fromEntries(configs);
}

/** What a transaction was told before its host threw. */
function doneBefore(error: unknown): Done {
  if (error instanceof Halfway) return error.done;
  throw error;
}
