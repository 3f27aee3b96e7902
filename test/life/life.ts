import type { LimitConfig, Weekday } from "convex-rate-limiter";
import { Deployment, type CallAnswer } from "../../sim/deployment.js";
import type { FaultRates } from "../../sim/faults.js";
import { naiveStarts } from "../support/naiveCalendar.js";
import type { ModelConfig } from "../support/model.js";
import { Judge } from "./judge.js";
import { PLAN } from "./turn.js";
import type { Configs } from "./world.js";
import type { Write } from "../../sim/store.js";
import {
  Halfway,
  host,
  newApp,
  noIds,
  type LifeApp,
  type Done,
  type Step,
  type Told,
} from "./steps.js";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

/** The calendar of a limit's windows. With `start`, `weekStart` has no effect. */
export type Calendar = {
  period: "day" | "week" | "month";
  timeZone: string;
  weekStart: Weekday;
  start?: number | undefined;
};

/** The config of a limit. With a calendar, `period` is the average length of its windows. */
export type LifeConfig = ModelConfig & { calendar?: Calendar | undefined };

/** One mutation of the host. */
export type Mutation = {
  /** How long after the previous mutation it is called, in ms. */
  after: number;
  steps: Step[];
  /** Whether the host throws at the end of the mutation, which rolls everything back. */
  throws: boolean;
  /**
   * If the previous mutation had a request denied, repeats that request instead of `steps`: just in time, or
   * 1 ms too soon. Only if mutations run one at a time.
   */
  again?: "in time" | "too soon" | undefined;
};

/** Gives the same limits other configs. */
export type Deploy = {
  /** The index of the first mutation after the deploy. */
  before: number;
  limits: Record<string, LifeConfig>;
  /** Every other one of this many mutations after the deploy still runs the old version. */
  mixed?: number;
};

/** A run: its limits, calls, clocks and faults. */
export type Life = {
  limits: Record<string, LifeConfig>;
  /** The date on which the run begins. Default 1 January 2026. */
  from?: string;
  mutations: Mutation[];
  executionMs: number;
  /** How far the clock of each transaction may be off, in ms. */
  jitterMs: number;
  /** From `time` on, all clocks are off by `errorMs`. */
  clockSteps: { time: number; errorMs: number }[];
  /** What goes wrong with the hourly vacuum and with scheduled functions. */
  faults: FaultRates;
  /** The configs that come with calls, for the limit that the app does not name. */
  plans?: readonly LifeConfig[];
  /** In the order of their mutations. */
  deploys?: readonly Deploy[];
  /** The keys that calls use, if they use one. Default "a" and "b". */
  keys?: readonly string[];
  /** Whether each mutation waits for the answer to the previous one. */
  alone?: boolean;
  seed: number;
};

/** Totals over all runs. */
export const noTotals = () => ({
  runs: 0,
  calls: 0,
  transactions: 0,
  conflicts: 0,
  gaveUp: 0,
  thrown: 0,
  scheduled: 0,
});

const BEGIN_MS = 10_000_000;

/** Changes an answer before it is judged. */
export type Falsify = (told: Told) => Told;

/** Runs a life and judges each of its transactions. */
export async function live(
  life: Life,
  totals = noTotals(),
  falsify: Falsify = (told) => told,
): Promise<void> {
  await new Run(life, totals, falsify).run();
}

/** A mutation that was answered, and the version of the app that ran it. */
type Answered = CallAnswer & { kind: "answered"; version: number };

class Run {
  private readonly versions: readonly LifeApp[];
  private readonly limits: readonly Configs[];
  private readonly judge: Judge;
  private readonly deployment: Deployment;
  private readonly answers: (readonly Write[] | Answered)[] = [];
  private readonly mutations: readonly Mutation[];
  /** The ids of the holds, leases and jobs that committed transactions made. */
  private readonly ids = noIds();
  private time = BEGIN_MS;

  constructor(
    private readonly life: Life,
    private readonly totals: ReturnType<typeof noTotals>,
    private readonly falsify: Falsify,
  ) {
    const { limits, plans = [], executionMs, seed, faults } = life;
    const { keys = ["a", "b"] } = life;
    const toModel = (config: LifeConfig) => withStarts(config, this.from);
    const toPlan = (config: LifeConfig) =>
      ({ ...toModel(config), isInline: true }) as const;
    const deployed = (life.deploys ?? []).map((deploy) => deploy.limits);
    const versions = [limits, ...deployed];
    // PLAN is the limit whose config comes with each call.
    const all = { ...limits, ...(plans[0] && { [PLAN]: plans[0] }) };
    this.limits = versions.map((version) =>
      mapped({ ...all, ...version }, toModel),
    );
    const brought = plans.map(toApp);
    this.versions = versions.map((version) => ({
      ...newApp(mapped(version, toApp), brought),
      ids: this.ids,
    }));
    this.judge = new Judge(this.limits, plans.map(toPlan), keys);
    this.deployment = new Deployment({
      ...host,
      executionMs,
      seed,
      faults,
      crons: true,
      epochMs: Date.parse(this.from),
      clockErrorMs: (atMs) => this.clockError(atMs),
      watch: (writes) => void this.answers.push(writes),
    });
    // The last mutation reads every balance.
    const plan = 0;
    const steps = Object.keys(all).flatMap((name) =>
      [...keys, undefined].map((key): Step => ({
        verb: "getValue",
        of: { name, key, ...(name === PLAN && { plan }) },
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
    for (const answer of this.answers) {
      if ("kind" in answer) await this.judged(answer);
      else this.judge.watch(answer);
    }
    for (const error of this.deployment.scheduledErrors) throw error;
  }

  private get from(): string {
    return this.life.from ?? "2026-01-01";
  }

  /** By how many ms clocks are off at a given time. */
  private clockError(atMs: number): number {
    const { clockSteps, jitterMs } = this.life;
    const step = clockSteps.findLast(({ time }) => time <= atMs);
    // A pseudorandom fraction that depends only on the time.
    const part =
      ((Math.imul(Math.floor(atMs * 1000), 2654435761) >>> 8) % 1000) / 1000;
    return (step?.errorMs ?? 0) + Math.round((part - 0.5) * 2 * jitterMs);
  }

  /** The version of the app that runs a mutation. */
  private version(index: number): number {
    const { deploys = [] } = this.life;
    const last = deploys.findLastIndex(({ before }) => before <= index);
    if (last === -1) return 0;
    const { before, mixed = 0 } = deploys[last]!;
    const isOld = index < before + mixed && (index - before) % 2 === 1;
    return isOld ? last : last + 1;
  }

  private call(index: number, { after, steps, throws }: Mutation): void {
    this.time += after;
    const { time } = this;
    const app = this.versions[this.version(index)]!;
    this.deployment.call(
      time,
      "steps:run",
      { app, steps, throws },
      (answer) => {
        this.totals.transactions++;
        this.totals.conflicts += answer.conflicts;
        const told = this.answered(answer, this.version(index));
        const next = this.mutations[index + 1];
        if (!this.life.alone || next === undefined) return;
        this.time = time + (answer.kind === "answered" ? answer.latencyMs : 0);
        this.call(index + 1, this.again(next, told, time));
      },
    );
  }

  /** The mutation, or the denied request that it repeats. */
  private again(
    mutation: Mutation,
    told: readonly Told[],
    time: number,
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
    const after = time + answer.retryAfter - early - this.time;
    if (after < 0 || after > DAY) return mutation;
    return { after, steps: [{ verb, of, ask }], throws: false };
  }

  /** Keeps the answer to a mutation. */
  private answered(answer: CallAnswer, version: number): readonly Told[] {
    if (answer.kind === "gave up") {
      this.totals.gaveUp++;
      return [];
    }
    this.answers.push({ ...answer, version });
    const { told, ids } = doneBy(answer);
    this.totals.calls += told.length;
    if ("error" in answer.returned) this.totals.thrown++;
    else {
      this.ids.holds.push(...ids.holds);
      this.ids.leases.push(...ids.leases);
      this.ids.jobs.push(...ids.jobs);
    }
    return told;
  }

  private judged({ version, ...answer }: Answered): Promise<void> {
    const { returned, writes } = answer;
    const told = doneBy(answer).told.map(this.falsify);
    const counts = !("error" in returned) && writes.length > 0;
    const app = this.versions[version]!;
    const limits = this.limits[version]!;
    const { jitterMs, clockSteps } = this.life;
    const areClocksRight = jitterMs === 0 && clockSteps.length === 0;
    const judged = { ...answer, told, counts, app, limits, areClocksRight };
    return this.judge.judge(judged);
  }
}

/** The config as an app writes it. */
function toApp({ calendar, ...plain }: LifeConfig): LimitConfig {
  if (calendar === undefined) return plain;
  const { weekStart, ...windows } = calendar;
  const isWeek = windows.period === "week" && windows.start === undefined;
  const week = isWeek && { weekStart };
  return { ...plain, ...windows, ...week } as LimitConfig;
}

/** The config with the times at which its windows start. */
function withStarts(
  { calendar, ...plain }: LifeConfig,
  from: string,
): ModelConfig {
  if (calendar === undefined) return plain;
  const { timeZone, period, weekStart, start } = calendar;
  const starts = naiveStarts([timeZone, from], period, weekStart, start);
  return { ...plain, starts };
}

export function mapped<T, U>(
  record: Record<string, T>,
  map: (one: T, name: string) => U,
): Record<string, U> {
  const entries = Object.entries(record);
  return Object.fromEntries(
    entries.map(([name, one]) => [name, map(one, name)]),
  );
}

/** The answers that a transaction got, even if its host threw at the end. */
function doneBy({ returned }: CallAnswer & { kind: "answered" }): Done {
  if (!("error" in returned)) return returned.value as Done;
  if (returned.error instanceof Halfway) return returned.error.done;
  throw returned.error;
}
