import { Broken, show, type Turn } from "./turn.js";
import { idOf } from "./world.js";

/** A denied request: when it was denied, when it is to be granted, and whether nothing has changed since. */
type Denial = {
  from: number;
  until: number;
  isAsBefore: (turn: Turn) => boolean;
};

/**
 * Checks the `retryAfter` of split limits. While nothing changes, the same request must be denied until the wait is
 * over, and then granted. For other limits, the model knows `retryAfter` exactly.
 */
export class Waits {
  private readonly denials = new Map<string, Denial>();

  judge(turn: Turn): void {
    const [told, ...others] = turn.judged.told;
    // The wait may depend on other steps, which may be rolled back.
    if (others.length > 0 || told?.verb !== "limit") return;
    const { of, ask, answer } = told;
    if (!turn.isSplit(of) || answer === "exceeds") return;
    const { now } = turn;
    const request = show({ of, ask });
    const model = turn.model(of);
    const before = this.denials.get(request);
    if (before !== undefined && now >= before.from && before.isAsBefore(turn)) {
      const isDue = now >= before.until;
      // The override under which the request was due may have ended since.
      const isOver =
        isDue && show(model.rule(now)) !== show(model.rule(before.until));
      if (!isOver && answer.ok !== isDue) {
        throw new Broken(
          `${request} was to wait until ${before.until}, not ${now}`,
        );
      }
      return;
    }
    this.denials.delete(request);
    // A ban without end lasts longer than the period that `retryAfter` gives for it.
    if (answer.ok || model.isBannedForGood(now)) return;
    if (turn.mayBeBusy(of)) return;
    const wasSo = stateOf(turn, of);
    this.denials.set(request, {
      from: now,
      until: now + answer.retryAfter,
      isAsBefore: (later) =>
        stateOf(later, of).every((part, i) => part === wasSo[i]),
    });
  }
}

/** All that an answer depends on, except the time. */
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
