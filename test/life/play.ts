import { Broken, show, type Turn } from "./turn.js";
import type { Told } from "./steps.js";
import { idOf } from "./world.js";
import { limitOrCheck } from "./requests.js";
import { askAll, holdAll } from "./lists.js";
import { charge, clearAll, credit, reset, resetAll } from "./amounts.js";
import { list, getValue } from "./looks.js";
import { end, hold, renew, schedule } from "./holds.js";
import { forget, override, penalize } from "./overriding.js";

/** Judges the answers to the steps of a transaction, in order. */
export function play(turn: Turn): void {
  for (const [place, told] of turn.judged.told.entries()) {
    turn.place = place;
    try {
      step(turn, told);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      throw new Broken(`${error.message}\n${show(told)} at ${turn.stage}`);
    }
  }
}

function step(turn: Turn, told: Told): void {
  if (turn.stage === "commit" && isLook(turn, told)) return;
  switch (told.verb) {
    case "limit":
    case "check":
      return limitOrCheck(turn, told);
    case "limitAll":
    case "checkAll":
      return askAll(turn, told);
    case "credit":
      return credit(turn, told);
    case "charge":
      return charge(turn, told);
    case "reset":
      return reset(turn, told.of);
    case "resetAll":
      return resetAll(turn, told.name, told.answer.isDone);
    case "getValue":
      return getValue(turn, told);
    case "hold":
      return hold(turn, told);
    case "holdAll":
      return holdAll(turn, told);
    case "schedule":
      return schedule(turn, told);
    case "settle":
      return end(turn, told.id, told.count, told.answer);
    case "release":
      return end(turn, told.id, 0, told.answer);
    case "settleAll":
      for (const [i, { id, count = 0 }] of told.asked.entries()) {
        const { settled, forgiven } = told.answer;
        const answer = { settled: settled[i]!, forgiven: forgiven?.[i] };
        end(turn, id, count, answer);
      }
      return;
    case "renew":
      return renew(turn, told.id, told.answer.renewed);
    case "cancel":
      if (told.answer.cancelled) end(turn, told.id, 0);
      return;
    case "override":
      return override(turn, told);
    case "clear":
      turn.world.overrides.delete(idOf(told));
      return forget(turn, told);
    case "list":
      return list(turn, told.answer);
    case "clearAll":
      return clearAll(turn);
    case "penalize":
      return penalize(turn, told);
    case "vacuum":
      return;
  }
}

/** Whether a step is a denial that `stats` counts. A look may lead to it, so it need not be right at the commit. */
function isLook(turn: Turn, told: Told): boolean {
  switch (told.verb) {
    case "limit":
    case "limitAll":
    case "hold":
    case "holdAll":
    case "schedule": {
      const { answer } = told;
      if (answer !== "exceeds" && answer.ok) return false;
      const items = "items" in told ? told.items : [told];
      return items.some(({ of }) => Boolean(turn.limits[of.name]!.stats));
    }
    default:
      return false;
  }
}
