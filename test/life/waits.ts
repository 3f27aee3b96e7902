import { isCalm } from "./loosely.js";
import { Broken, show, type Turn } from "./turn.js";
import { idOf } from "./world.js";

/** A request that was denied: when, when it is to be granted, and what was so then. */
type Denial = {
  from: number;
  until: number;
  isAsBefore: (turn: Turn) => boolean;
};

/**
 * Remembers what requests of split limits are told to wait. As long as nothing changes, the same request is
 * denied until then, and granted from then on. Of the others all is known, this included.
 */
export class Waits {
  private readonly denials = new Map<string, Denial>();

  judge(turn: Turn): void {
    const [told, ...others] = turn.judged.told;
    // What other steps took beside it may not count.
    if (others.length > 0 || told?.verb !== "limit") return;
    const { of, ask, answer } = told;
    if (!turn.isSplit(of) || answer === "exceeds") return;
    const { now } = turn;
    const request = show({ of, ask });
    const before = this.denials.get(request);
    if (before !== undefined && now >= before.from && before.isAsBefore(turn)) {
      if (answer.ok !== now >= before.until) {
        throw new Broken(
          `${request} was to wait until ${before.until}, not ${now}`,
        );
      }
      return;
    }
    this.denials.delete(request);
    const model = turn.model(of);
    // What is told of a ban without end is one period, which it outlasts.
    if (answer.ok || model.isBannedForGood(now)) return;
    if (!isCalm(model.rule(now), [ask])) return;
    const wasSo = stateOf(turn, of);
    this.denials.set(request, {
      from: now,
      until: now + answer.retryAfter,
      isAsBefore: (later) =>
        stateOf(later, of).every((part, i) => part === wasSo[i]),
    });
  }
}

/** What changes with whatever changes an answer. */
function stateOf(
  { world }: Turn,
  of: { name: string; key: string | undefined },
) {
  return [
    world.accounts.get(idOf(of))!.version,
    world.accounts.get(idOf(of))!.model.config,
    world.overrides.get(idOf(of)),
    world.overrides.get(idOf({ name: of.name })),
  ];
}
