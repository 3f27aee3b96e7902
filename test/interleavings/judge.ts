import { calculateRateLimit } from "convex-rate-limiter";
import type { ShownConfig } from "../../src/core/config.js";
import { Model, type AnyAsk } from "../support/model.js";
import type { Asked, Told } from "../life/steps.js";
import { Broken, TOLERANCE } from "../life/turn.js";
import type { Sweep } from "./explore.js";

/** What the answers so far have left: the limit, the holds that have not ended, by their ids, and what was taken. */
export type Account = {
  model: Model;
  holds: ReadonlyMap<string, Hold>;
  log: readonly number[];
  /** The least that split rows may hold. */
  least?: number;
};

/** What a hold took, and when its lease ends. */
type Hold = { taken: number; endsAt: number; isJob: boolean };

/** The account that a call saw, and the account at its commit. */
export type Accounts = { seen: Account; there: Account };

type ToldHold = Extract<Told, { verb: "hold" | "schedule" }>;
type ToldEnd = Extract<Told, { verb: "settle" | "release" | "cancel" }>;

/** Judges answers by a model of the limit, on a clock that stands still. */
export class Judge {
  constructor(
    private readonly config: ShownConfig,
    private readonly now: number,
    /** Whether calls overlapped shortly before: then a split limit may deny while tokens are left. */
    private readonly isBusy = false,
  ) {}

  /** An account with these holds. Those of a concurrency limit are its balance. */
  account(
    balance: number,
    { holds = new Map(), log = [-balance] }: Partial<Account> = {},
  ): Account {
    const model = new Model(this.config);
    if (this.config.kind === "concurrency") {
      model.leases = Array.from(holds.values(), ({ taken, endsAt }) => ({
        ...{ count: taken, from: -Infinity, to: endsAt },
      }));
    } else model.move(this.capacity - balance, this.now);
    return { model, holds, log };
  }

  balanceOf({ model }: Account): number {
    return model.balance(this.now);
  }

  /** The account with a hold that was granted at a time and is counted. */
  withHold(account: Account, told: Told | Sweep, time: number): Account {
    if (told.verb !== "hold" && told.verb !== "schedule") return account;
    const { holds } = account;
    const { answer, count: taken } = told;
    if (answer === "exceeds" || !answer.ok) throw new Broken("it was denied");
    const id = "id" in answer ? answer.id : answer.scheduledId;
    require(!holds.has(id), "another hold has this id");
    const { lease = Infinity } = this.config;
    const isJob = told.verb === "schedule";
    const hold = { taken, endsAt: time + lease, isJob };
    const more = { ...account, holds: new Map(holds).set(id, hold) };
    return this.account(this.balanceOf(account), more);
  }

  /** Requires that a call was right to write nothing, given the account that it saw. */
  wroteNothing(told: Told | Sweep, seen: Account): void {
    switch (told.verb) {
      case "reset":
      case "sweep":
      case "vacuum":
        return;
      case "credit":
        if (this.mayLose) return;
        return requireNear(this.balanceOf(seen), this.capacity, "room");
      case "settle":
      case "release":
      case "cancel":
        require(!hasEnded(told), "it ended nothing");
        return require(!seen.holds.has(told.id), "it should have ended it");
      case "renew":
        require(!told.answer.renewed, "it renewed nothing");
        return require(!seen.holds.has(told.id), "it should have renewed");
      case "charge": {
        const none = seen.model.chargeable(told.count, this.now);
        return requireNear(none, 0, "taken");
      }
      case "limit": {
        const { ask, answer } = told;
        this.denied(ask, answer, seen);
        if (answer === "exceeds") return;
        return requireWhole(answer.remaining, this.balanceOf(seen));
      }
      case "hold":
      case "schedule":
        return this.denied(askOf(told), told.answer, seen);
      default:
        throw new Error(`${told.verb} writes`);
    }
  }

  private denied(
    ask: AnyAsk,
    answer: Asked | ToldHold["answer"],
    seen: Account,
  ): void {
    const plan = seen.model.plan([ask], this.now);
    if (answer === "exceeds") {
      return require(plan === "exceeds", "it could be granted");
    }
    if (plan === "exceeds") throw new Broken("it can never be granted");
    if (answer.ok || !(this.isBusy || !plan.ok)) {
      throw new Broken("it should have been granted");
    }
    if (!plan.ok) this.requireWait(answer.retryAfter, plan.retryAfter);
  }

  /** Judges a call that commits, and returns the account that it leaves. */
  committed(told: Told | Sweep, { seen, there }: Accounts): Account {
    const { holds } = there;
    switch (told.verb) {
      case "limit": {
        const { answer } = told;
        if (answer === "exceeds" || !answer.ok) throw new Broken("it wrote");
        this.requireFits(told.ask, there);
        const plan = seen.model.plan([told.ask], this.now);
        if (plan === "exceeds" || !plan.ok) throw new Broken("none was there");
        const [most = 0] = plan.taken;
        const got = answer.taken ?? most;
        const isSome = this.isBusy && told.ask.upTo && got >= 1 && got <= most;
        require(got === most || isSome === true, "taken");
        const left = this.taking(got, seen);
        requireWhole(answer.remaining, left.balance);
        this.requireWait(answer.retryAfter, left.retryAfter);
        return this.moved(there, got);
      }
      case "charge": {
        const { forgiven = 0, retryAfter: wait } = told.answer;
        const taken = told.count - forgiven;
        const right = there.model.chargeable(told.count, this.now);
        if (forgiven > 0 || !this.isBusy) requireNear(taken, right, "taken");
        require(taken <= right + TOLERANCE, "a debt above maxDebt");
        this.requireWait(wait, this.taking(taken, seen).retryAfter);
        return this.moved(there, taken);
      }
      case "credit": {
        const { credited } = told.answer;
        const room = Math.min(told.count, this.capacity - this.balanceOf(seen));
        if (this.mayLose) require(credited <= room + TOLERANCE, "credited");
        else requireNear(credited, room, "credited");
        return this.moved(there, -credited);
      }
      case "hold":
      case "schedule": {
        this.requireFits(askOf(told), there);
        const { answer, count } = told;
        if (answer !== "exceeds" && "scheduledId" in answer) {
          // Work that waits for nothing runs after 0 ms.
          const wait = answer.retryAfter === 0 ? undefined : answer.retryAfter;
          this.requireWait(wait, this.taking(count, seen).retryAfter);
        }
        return this.withHold(this.moved(there, count), told, this.now);
      }
      case "settle":
      case "release":
      case "cancel":
        return this.ended(told, there);
      case "renew": {
        const hold = holds.get(told.id);
        if (!told.answer.renewed || hold === undefined) {
          throw new Broken("it should not have renewed");
        }
        const { lease = Infinity } = this.config;
        const endsAt = Math.max(hold.endsAt, this.now + lease);
        const renewed = new Map(holds).set(told.id, { ...hold, endsAt });
        return this.account(this.balanceOf(there), { holds: renewed });
      }
      case "sweep":
      case "reset": {
        const isOpen = [...seen.holds.values()].some(({ isJob }) => !isJob);
        const isFull = !isOpen && this.balanceOf(seen) === this.capacity;
        // It has nothing to reset then, so a call may commit meanwhile.
        if (told.verb === "sweep" && isFull) return there;
        // A function can still be cancelled, but from a full limit nothing comes back.
        const jobs = [...holds].filter(([, { isJob }]) => isJob);
        return this.account(this.capacity, { holds: new Map(jobs) });
      }
      case "vacuum":
        return there;
      default:
        throw new Error(`${told.verb} is not explored`);
    }
  }

  /** Then there is what there would be if it had taken what it used, or less after a credit to split rows. */
  private ended(told: ToldEnd, there: Account): Account {
    const hold = there.holds.get(told.id);
    if (!hasEnded(told) || hold === undefined) {
      throw new Broken("it should have ended nothing");
    }
    const used = told.verb === "settle" ? told.count : 0;
    const holds = new Map(there.holds);
    holds.delete(told.id);
    const take = (left: number, count: number) =>
      Math.min(this.capacity, left - count);
    const before = this.balanceOf(there);
    const back = there.log.reduce(take, hold.taken - used) - before;
    const after = this.moved({ ...there, holds }, -back);
    const isCredited = there.log.slice(1).some((taken) => taken < 0);
    const isUnsure = this.rows > 1 && isCredited && back > 0;
    return isUnsure ? { ...after, least: before } : after;
  }

  /** Requires that `getValue` shows the balance, and returns the account with it. */
  shown(told: Told | Sweep, there: Account): Account {
    if (told.verb !== "getValue") throw new Error(`${told.verb} is no balance`);
    const { answer } = told;
    const { value } = calculateRateLimit(answer, answer.config, this.now);
    const most = this.balanceOf(there);
    const { least = most } = there;
    const isRight = value >= least - TOLERANCE && value <= most + TOLERANCE;
    require(isRight, `the balance is ${value}, not ${least} to ${most}`);
    return least < most ? this.account(value, there) : there;
  }

  private get capacity(): number {
    return new Model(this.config).capacity(this.now);
  }

  /** Over how many rows it is split at once. */
  private get rows(): number {
    const { shards = this.capacity < 20 ? 1 : "auto" } = this.config;
    return shards === "auto" ? 2 : shards;
  }

  /** Whether what one row has no room for is lost, given back to a busy bucket. */
  private get mayLose(): boolean {
    return this.isBusy && this.config.kind === "token bucket";
  }

  private requireFits(ask: AnyAsk, { model }: Account): void {
    const fits = model.fits([ask], this.now);
    require(fits, "it should have been denied");
  }

  /** What a count leaves, and how long its debt lasts. */
  private taking(count: number, { model }: Account) {
    const after = model.copy();
    const { retryAfter } = after.charge(count, this.now);
    return { balance: after.balance(this.now), retryAfter };
  }

  /** The account without these tokens. */
  private moved(account: Account, tokens: number): Account {
    const balance = this.balanceOf(account) - tokens;
    require(balance <= this.capacity + TOLERANCE, "above the capacity");
    return this.account(balance, { ...account, log: [...account.log, tokens] });
  }

  /** Requires a wait that is right for one row, or for rows of which only some fill. */
  private requireWait(told: number | undefined, right: number | undefined) {
    // In a busy limit, a row waits for itself.
    if (this.isBusy) return;
    if (told === undefined || right === undefined) {
      return require(told === right, `retryAfter is ${right}`);
    }
    if (this.config.kind === "concurrency") {
      return require(told === right, `retryAfter is ${right}`);
    }
    const { kind, period } = this.config;
    const begun = kind === "token bucket" ? 0 : this.now % period;
    const most = this.rows * (right + begun) - begun;
    const isRight = told >= right - 1 && told <= most + 1;
    require(isRight, `retryAfter from ${right} to ${most}`);
  }
}

function askOf({ verb, count }: ToldHold): AnyAsk {
  return { count, reserve: verb === "schedule" };
}

function hasEnded({ answer }: ToldEnd): boolean {
  return "cancelled" in answer ? answer.cancelled : answer.settled;
}

function require(holds: boolean, message: string): void {
  if (!holds) throw new Broken(message);
}

function requireNear(told: number, right: number, what: string): void {
  require(Math.abs(told - right) < TOLERANCE, `${what} is ${right}`);
}

/** Requires the whole tokens of a balance. A debt has none. */
function requireWhole(remaining: number, balance: number): void {
  const whole = Math.max(0, Math.floor(balance + TOLERANCE));
  requireNear(remaining, whole, "remaining");
}
