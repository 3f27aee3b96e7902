import { calculateRateLimit, type RateLimitConfig } from "convex-rate-limiter";
import type { AnyAsk } from "../support/model.js";
import type { Told } from "../life/steps.js";
import { Broken, TOLERANCE } from "../life/turn.js";

/** The balance that a call saw, and the balance at its commit. */
export type Balances = { seen: number; there: number };

/** Judges answers by counting tokens, on a clock that stands still. */
export class TokenJudge {
  private readonly capacity: number;

  constructor(
    private readonly config: RateLimitConfig,
    private readonly now: number,
  ) {
    this.capacity = config.capacity ?? config.rate;
  }

  /** Requires that a call was right to write nothing, given the balance that it saw. */
  wroteNothing(told: Told, seen: number): void {
    if (told.verb === "reset" || isHousekeeping(told)) return;
    if (told.verb === "credit") {
      return requireNear(seen, this.capacity, "room");
    }
    if (told.verb !== "limit") throw new Error(`${told.verb} writes`);
    const { ask, answer } = told;
    if (answer === "exceeds") {
      return require(!this.fits(this.capacity, ask), "it could be granted");
    }
    require(!answer.ok && !this.fits(seen, ask), "it should have been granted");
    this.requireWait(answer.retryAfter, this.least(ask) - seen);
    requireNear(answer.remaining, wholeOf(seen), "remaining");
  }

  /** Judges a call that commits, and returns the balance that it leaves. */
  committed(told: Told, { seen, there }: Balances): number {
    switch (told.verb) {
      case "limit": {
        const { ask, answer } = told;
        if (answer === "exceeds" || !answer.ok) throw new Broken("it wrote");
        require(this.fits(there, ask), "it should have been denied");
        const most = Math.min(ask.count, Math.floor(seen - (ask.leave ?? 0)));
        const taken = ask.upTo ? most : ask.count;
        require(answer.taken === (ask.upTo ? taken : undefined), "taken");
        const left = seen - taken;
        requireNear(answer.remaining, wholeOf(left), "remaining");
        this.requireWait(answer.retryAfter, -left);
        return there - taken;
      }
      case "charge":
        this.requireWait(told.answer.retryAfter, told.count - seen);
        return there - told.count;
      case "credit": {
        const { credited } = told.answer;
        const room = Math.min(told.count, this.capacity - seen);
        requireNear(credited, room, "credited");
        const after = there + credited;
        require(after <= this.capacity + TOLERANCE, "above the capacity");
        return after;
      }
      case "reset":
        return this.capacity;
      case "shrink":
      case "vacuum":
        return there;
      default:
        throw new Error(`${told.verb} is not explored`);
    }
  }

  /** Requires that `getValue` shows the balance. */
  shown(told: Told, there: number): void {
    if (told.verb !== "getValue") throw new Error(`${told.verb} is no balance`);
    const { answer } = told;
    const { value } = calculateRateLimit(answer, answer.config, this.now);
    requireNear(value, there, "the balance");
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
  private requireWait(retryAfter: number | undefined, missing: number): void {
    if (missing <= TOLERANCE) {
      return require(retryAfter === undefined, "it waits for nothing");
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
}

/** Whether a step changes no balance. */
function isHousekeeping({ verb }: Told): boolean {
  return verb === "shrink" || verb === "vacuum";
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
