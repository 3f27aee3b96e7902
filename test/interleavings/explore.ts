import { touch } from "../../sim/commits.js";
import { Mounts } from "../../sim/components.js";
import { withGlobals } from "../../sim/globals.js";
import { Store, type Write } from "../../sim/store.js";
import { runFunction } from "../../sim/functions.js";
import { Transaction } from "../../sim/transaction.js";
import {
  host,
  noIds,
  type Ids,
  type LifeApp,
  type Done,
  type Step,
  type Told,
} from "../life/steps.js";
import { Broken } from "../life/turn.js";
import type { Account, Accounts, Judge } from "./judge.js";

/** The job of a `resetAll`. */
export type Sweep = { verb: "sweep" };

/** A step that an app runs as one transaction, and a `resetAll` that leaves all to its job. */
export type Call = { app: LifeApp; step: Step | Sweep; resetsAll?: boolean };

/** The database and the account after some commits. */
export type State = {
  store: Store;
  /** The timestamp and the writes of the last commit. */
  ts: bigint;
  writes: readonly Write[];
  account: Account;
};

/** A call that has run. */
type Attempt = {
  told: Told | Sweep;
  transaction: Transaction;
  /** How many commits the call saw. */
  seen: number;
};

/** A call that has not committed, with every possible result from every point at which it may have begun. */
type Pending = { call: Call; attempts: readonly Attempt[] };

/** Which of two values each random draw returns. Later draws return the first. */
type Script = readonly (0 | 1)[];

// With two rows, each draw picks a different one.
const DRAWS = [0.25, 0.75] as const;

/** How long a call runs. */
export const RAN_MS = 200;

const MOUNT = "rateLimiter";
const SWEEPS = `${MOUNT}/sweeps`;

const mounts = new Mounts(host);

/** How calls are explored. */
export type Setting = {
  judge: Judge;
  /** The clock of all calls. */
  now: number;
  /** How many commits older than its transaction a look may be. */
  looksAge: number;
  /** The call that shows the balance. */
  value: Call;
};

/**
 * Runs overlapping calls in every order of their begins and commits. Which of two calls begins first matters only if
 * there is a commit in between. So the order of the commits, and how many of them each call saw when it began, make up
 * a history. A call that conflicts starts again at once, and a call that writes nothing is over. Neither is followed:
 * other histories cover what comes next.
 */
export class Explorer {
  readonly counts = {
    /** The histories in which all calls have written. */
    histories: 0,
    /** The calls, and the looks at the balance. */
    transactions: 0,
    commits: 0,
    conflicts: 0,
    denials: 0,
  };

  constructor(private readonly setting: Setting) {}

  /** Explores the histories of these calls. */
  async explore(calls: readonly Call[], state: State): Promise<void> {
    const pending = calls.map((call) => ({ call, attempts: [] }));
    await this.goOn([state], pending);
  }

  /** @param path The states so far, from before the first commit on. */
  private async goOn(
    path: readonly State[],
    calls: readonly Pending[],
  ): Promise<void> {
    const pending: Pending[] = [];
    for (const { call, attempts } of calls) {
      const begun = await this.begin(call, path);
      pending.push({ call, attempts: [...attempts, ...begun] });
    }
    for (const [i, { call, attempts }] of pending.entries()) {
      // Only one of several equal calls needs to go next.
      if (pending.findIndex((other) => other.call === call) < i) continue;
      const others = pending.filter((_, other) => other !== i);
      for (const attempt of attempts) await this.commit(attempt, path, others);
    }
  }

  /** The attempts of a call that begins now, for all draws and looks. Judges and drops those that write nothing. */
  private async begin(call: Call, path: readonly State[]): Promise<Attempt[]> {
    const begun = await this.attempts(call, path);
    return begun.filter((attempt) => {
      if (attempt.transaction.writes.length > 0) return true;
      this.counts.denials++;
      this.judged(attempt, path, (judge, { seen }) =>
        judge.wroteNothing(attempt.told, seen),
      );
      return false;
    });
  }

  private async attempts(
    call: Call,
    path: readonly State[],
  ): Promise<Attempt[]> {
    const seen = path.length - 1;
    const oldest = Math.max(0, seen - this.setting.looksAge);
    const found: Attempt[] = [];
    for (let looked = seen; looked >= oldest; looked--) {
      const scripts: Script[] = [[]];
      for (const script of scripts) {
        const ran = await this.run(call, path[seen]!, path[looked]!, script);
        for (let draw = script.length; draw < ran.draws; draw++) {
          const before = Array<0>(draw - script.length).fill(0);
          scripts.push([...script, ...before, 1]);
        }
        found.push({ ...ran, seen });
        if (ran.looks === 0) return distinct(found);
      }
    }
    return distinct(found);
  }

  private async commit(
    attempt: Attempt,
    path: readonly State[],
    others: readonly Pending[],
  ): Promise<void> {
    const { told, transaction, seen } = attempt;
    const since = path.slice(seen + 1).flatMap(({ writes }) => writes);
    if (touch(since, transaction.reads)) {
      this.counts.conflicts++;
      return;
    }
    this.counts.commits++;
    const right = this.judged(attempt, path, (judge, accounts) =>
      judge.committed(told, accounts),
    );
    const { now } = this.setting;
    const next = after(path.at(-1)!, transaction, right, now);
    const shown = await this.run(this.setting.value, next, next, []);
    next.account = this.judged(attempt, path, (judge) =>
      judge.shown(shown.told, right),
    );
    if (others.length === 0) this.counts.histories++;
    else await this.goOn([...path, next], others);
  }

  private judged<T>(
    { told, seen }: Attempt,
    path: readonly State[],
    judge: (judge: Judge, accounts: Accounts) => T,
  ): T {
    const accounts = path.map(({ account }) => account);
    const [saw, there] = [accounts[seen]!, accounts.at(-1)!];
    try {
      return judge(this.setting.judge, { seen: saw, there });
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      const what = JSON.stringify(told, undefined, 1);
      const balances = accounts
        .map((account) => this.setting.judge.balanceOf(account))
        .join(", ");
      const where = `It saw ${seen} commits, of balances ${balances}`;
      throw new Broken(`${error.message}: ${what}\n${where}`);
    }
  }

  private run(call: Call, state: State, look: State, script: Script) {
    this.counts.transactions++;
    return run(call, state, look, this.setting.now, script);
  }
}

/**
 * The state after calls that run one after the other, each at its own time, and leave this balance;
 * and the ids that they made.
 */
export async function stateAfter(
  calls: readonly (Call & { time: number })[],
  judge: Judge,
  balance: number,
): Promise<{ state: State; ids: Ids }> {
  const ids = noIds();
  let state: State = {
    store: new Store(mounts),
    ts: 1n,
    writes: [],
    account: judge.account(balance),
  };
  for (const { time, ...call } of calls) {
    const ran = await run(call, state, state, time, []);
    const { told, transaction } = ran;
    ids.holds.push(...ran.ids.holds);
    ids.leases.push(...ran.ids.leases);
    ids.jobs.push(...ran.ids.jobs);
    const account = judge.withHold(state.account, told, time);
    state = after(state, transaction, account, time);
  }
  return { state, ids };
}

/** Runs a call on a state, with looks at another one. */
async function run(
  { app, step, resetsAll }: Call,
  state: State,
  seenByLooks: State,
  now: number,
  script: Script,
) {
  let [draws, looks] = [0, 0];
  const random = () => DRAWS[script[draws++] ?? 0];
  const look = () => {
    looks++;
    return seenByLooks;
  };
  const transaction = new Transaction({ ...state, mounts, now, look });
  const call = (name: string, args: Record<string, unknown>, path = MOUNT) =>
    runFunction(transaction, { path, name }, args);
  const perform = async (): Promise<{ told: Told | Sweep; ids: Ids }> => {
    if (step.verb === "sweep") {
      const index = state.store.index(SWEEPS, "of");
      const [one] = state.store.read({ table: SWEEPS, index }, "asc", 1);
      if (one) await call("jobs:sweepStep", { id: one._id });
      return { told: step, ids: noIds() };
    }
    const args = { app, steps: [step], throws: false };
    const { told, ids } = (await call("steps:run", args, "")) as Done;
    if (resetsAll) await call("operators:resetAll", { name: "limit" });
    return { told: told[0]!, ids };
  };
  const done = await withGlobals(mounts, now, random, perform);
  return { ...done, transaction, draws, looks };
}

function after(
  state: State,
  transaction: Transaction,
  account: Account,
  now: number,
): State {
  const committed = BigInt(now + RAN_MS) * 1_000_000n;
  const ts = committed > state.ts ? committed : state.ts + 1n;
  const writes = transaction.writesAt(ts);
  const store = state.store.copy();
  store.apply(writes);
  return { store, ts, writes, account };
}

function distinct(attempts: Attempt[]): Attempt[] {
  if (attempts.length === 1) return attempts;
  return [...new Map(attempts.map((one) => [keyOf(one), one])).values()];
}

/** Attempts are alike if their answers, writes and reads are the same, apart from the ids that they make. */
function keyOf({ told, transaction }: Attempt): string {
  const written = transaction
    .writesAt(0n)
    .map(({ before, after }) => [before, after && { ...after, _id: "" }]);
  const parts = [told, written, transaction.reads];
  return JSON.stringify(parts, (name, value: unknown) => {
    if (name === "id" || name === "scheduledId") return undefined;
    return typeof value === "bigint" ? String(value) : value;
  });
}
