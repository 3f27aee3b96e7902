import { calculateRateLimit } from "convex-rate-limiter";
import type { ShownConfig } from "../../src/core/config.js";
import type { AnyAsk } from "../support/model.js";
import type { Asked, Told } from "../life/steps.js";
import { Broken, TOLERANCE } from "../life/turn.js";

/** What the answers so far have left. */
export type Account = {
  /** The tokens that are left. */
  balance: number;
  /** The holds that have not ended, by their ids. */
  holds: ReadonlyMap<string, Hold>;
};

/** What a hold took, and when its lease ends. */
type Hold = { taken: number; endsAt: number };

/** The account that a call saw, and the account at its commit. */
export type Accounts = { seen: Account; there: Account };

type ToldHold = Extract<Told, { verb: "hold" | "schedule" }>;
type ToldEnd = Extract<Told, { verb: "settle" | "release" | "cancel" }>;

/** Judges answers by counting tokens, on a clock that stands still. */
export class TokenJudge {
  private readonly capacity: number;

  constructor(
    private readonly config: ShownConfig,
    private readonly now: number,
    /** Whether calls overlapped shortly before: then a split limit may deny while tokens are left. */
    private readonly isBusy = false,
  ) {
    this.capacity =
      config.kind === "concurrency"
        ? config.capacity
        : (config.capacity ?? config.rate);
  }

  /** Whether what one row has no room for is lost, given back to a busy bucket. */
  private get mayLose(): boolean {
    return this.isBusy && this.config.kind === "token bucket";
  }

  /** The account after a hold that was granted at a time. */
  afterHold(account: Account, told: Told, time: number): Account {
    if (told.verb !== "hold" && told.verb !== "schedule") return account;
    const { answer, count: taken } = told;
    if (answer === "exceeds" || !answer.ok) throw new Broken("it was denied");
    const id = "id" in answer ? answer.id : answer.scheduledId;
    require(!account.holds.has(id), "another hold has this id");
    const { lease = Infinity } = this.config;
    const hold = { taken, endsAt: time + lease };
    return {
      balance: account.balance - taken,
      holds: new Map([...account.holds, [id, hold]]),
    };
  }

  /** Requires that a call was right to write nothing, given the account that it saw. */
  wroteNothing(told: Told, seen: Account): void {
    switch (told.verb) {
      case "reset":
      case "vacuum":
        return;
      case "credit":
        if (this.mayLose) return;
        return requireNear(seen.balance, this.capacity, "room");
      case "settle":
      case "release":
      case "cancel":
        require(!hasEnded(told), "it ended nothing");
        return require(!seen.holds.has(told.id), "it should have ended it");
      case "renew":
        require(!told.answer.renewed, "it renewed nothing");
        return require(!seen.holds.has(told.id), "it should have renewed");
      case "limit": {
        const { ask, answer } = told;
        this.denied(ask, answer, seen);
        if (answer === "exceeds") return;
        return requireNear(
          answer.remaining,
          wholeOf(seen.balance),
          "remaining",
        );
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
    if (answer === "exceeds") {
      return require(!this.fits(this.capacity, ask), "it could be granted");
    }
    const isShort = !this.fits(seen.balance, ask);
    if (answer.ok || !(isShort || this.isBusy)) {
      throw new Broken("it should have been granted");
    }
    if (!isShort) return;
    this.requireWait(answer.retryAfter, this.least(ask) - seen.balance, seen);
  }

  /** Judges a call that commits, and returns the account that it leaves. */
  committed(told: Told, { seen, there }: Accounts): Account {
    switch (told.verb) {
      case "hold":
      case "schedule":
        return this.held(told, { seen, there });
      case "settle":
      case "release":
      case "cancel":
        return this.ended(told, { seen, there });
      case "renew": {
        const hold = there.holds.get(told.id);
        if (!told.answer.renewed || hold === undefined) {
          throw new Broken("it should not have renewed");
        }
        const { lease = Infinity } = this.config;
        const endsAt = Math.max(hold.endsAt, this.now + lease);
        const renewed = { ...hold, endsAt };
        return { ...there, holds: new Map(there.holds).set(told.id, renewed) };
      }
      case "reset":
        return {
          balance: this.capacity,
          // Only those of a concurrency limit are its balance.
          holds: this.config.kind === "concurrency" ? new Map() : there.holds,
        };
      default:
        return { ...there, balance: this.balanceAfter(told, { seen, there }) };
    }
  }

  private held(told: ToldHold, { seen, there }: Accounts): Account {
    const { answer, count } = told;
    const canBe = this.fits(there.balance, askOf(told));
    require(canBe, "it should have been denied");
    if (answer !== "exceeds" && "scheduledId" in answer) {
      // Work that waits for nothing runs after 0 ms.
      const wait = answer.retryAfter === 0 ? undefined : answer.retryAfter;
      this.requireWait(wait, count - seen.balance, seen);
    }
    return this.afterHold(there, told, this.now);
  }

  /** What a hold did not use comes back, but what does not fit is lost. */
  private ended(told: ToldEnd, { seen, there }: Accounts): Account {
    const hold = there.holds.get(told.id);
    if (!hasEnded(told) || hold === undefined) {
      throw new Broken("it should have ended nothing");
    }
    const used = told.verb === "settle" ? told.count : 0;
    const back = Math.min(hold.taken - used, this.capacity - seen.balance);
    const balance = there.balance + back;
    require(balance <= this.capacity + TOLERANCE, "above the capacity");
    const holds = new Map(there.holds);
    holds.delete(told.id);
    return { balance, holds };
  }

  private balanceAfter(
    told: Told,
    { seen: { balance: seen, ...held }, there: { balance: there } }: Accounts,
  ): number {
    switch (told.verb) {
      case "limit": {
        const { ask, answer } = told;
        if (answer === "exceeds" || !answer.ok) throw new Broken("it wrote");
        require(this.fits(there, ask), "it should have been denied");
        const most = Math.min(ask.count, Math.floor(seen - (ask.leave ?? 0)));
        const taken = ask.upTo ? most : ask.count;
        const got = answer.taken ?? taken;
        const isFair = this.isBusy ? got >= 1 && got <= taken : got === taken;
        require(isFair && (got === taken || ask.upTo === true), "taken");
        const left = seen - got;
        requireNear(answer.remaining, wholeOf(left), "remaining");
        this.requireWait(answer.retryAfter, -left, held);
        return there - got;
      }
      case "charge":
        this.requireWait(told.answer.retryAfter, told.count - seen, held);
        return there - told.count;
      case "credit": {
        const { credited } = told.answer;
        const room = Math.min(told.count, this.capacity - seen);
        if (this.mayLose) require(credited <= room + TOLERANCE, "credited");
        else requireNear(credited, room, "credited");
        const after = there + credited;
        require(after <= this.capacity + TOLERANCE, "above the capacity");
        return after;
      }
      case "vacuum":
        return there;
      default:
        throw new Error(`${told.verb} is not explored`);
    }
  }

  /** Requires that `getValue` shows the balance. */
  shown(told: Told, there: Account): void {
    if (told.verb !== "getValue") throw new Error(`${told.verb} is no balance`);
    const { answer } = told;
    const { value } = calculateRateLimit(answer, answer.config, this.now);
    requireNear(value, there.balance, "the balance");
  }

  private fits(balance: number, ask: AnyAsk): boolean {
    return balance >= this.least(ask) - TOLERANCE;
  }

  /** The balance that a request needs. */
  private least({ count, reserve, leave = 0, upTo }: AnyAsk): number {
    const { maxReserved = Infinity } = this.config;
    return (upTo ? 1 : count) + (reserve ? -maxReserved : leave);
  }

  /** Requires that `retryAfter` fits the missing tokens, and is undefined if none are missing. */
  private requireWait(
    retryAfter: number | undefined,
    missing: number,
    { holds }: Pick<Account, "holds">,
  ): void {
    // In a busy limit, a row waits for itself.
    if (this.isBusy) return;
    if (missing <= TOLERANCE) {
      return require(retryAfter === undefined, "it waits for nothing");
    }
    if (this.config.kind === "concurrency") {
      const wait = this.endOf(missing, holds) - this.now;
      return require(retryAfter === wait, `retryAfter is ${wait}`);
    }
    const { kind, rate, period } = this.config;
    const { shards = this.capacity < 20 ? 1 : "auto" } = this.config;
    const wait = (periods: number) =>
      kind === "token bucket"
        ? periods * period
        : Math.ceil(periods) * period - (this.now % period);
    const least = wait(missing / rate);
    // While some rows are full, only the others fill.
    const rows = shards === "auto" ? 2 : shards;
    const most = wait((missing / rate) * rows);
    const isRight = retryAfter! >= least - 1 && retryAfter! <= most + 1;
    require(isRight, `retryAfter from ${least} to ${most}`);
  }

  /** When so many of these leases have ended that the missing tokens are back. */
  private endOf(missing: number, holds: Account["holds"]): number {
    let back = 0;
    const byEnd = [...holds.values()].sort((a, b) => a.endsAt - b.endsAt);
    const last = byEnd.find(({ taken }) => (back += taken) >= missing);
    return last?.endsAt ?? Infinity;
  }
}

function askOf({ verb, count }: ToldHold): AnyAsk {
  return { count, reserve: verb === "schedule" };
}

function hasEnded({ answer }: ToldEnd): boolean {
  return "cancelled" in answer ? answer.cancelled : answer.settled;
}

/** The whole tokens of a balance. A debt has none. */
function wholeOf(balance: number): number {
  return Math.max(0, Math.floor(balance + TOLERANCE));
}

function require(holds: boolean, message: string): void {
  if (!holds) throw new Broken(message);
}

function requireNear(told: number, right: number, what: string): void {
  require(Math.abs(told - right) < TOLERANCE, `${what} is ${right}`);
}
