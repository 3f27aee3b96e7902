import type { FunctionReturnType } from "convex/server";
import type { api } from "../../convex/_generated/api.js";
import { useNow } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { Tile } from "../Tile.js";

export type List = FunctionReturnType<typeof api.answers.list>;
export type Answer = List["answers"][number];

type Props = { answer: Answer; list: List; onStop: () => unknown };

/** Whether what is held for it can still be settled. */
export function isOutstanding(
  { used, expiresAt }: Pick<Answer, "used" | "expiresAt">,
  now: number,
): boolean {
  return used === undefined && now < expiresAt;
}

/** One answer, and what became of what was held for it. */
export function AnswerTile({ answer, list, onStop }: Props) {
  const { label, askedAt, expiresAt, used, crashed } = answer;
  const { held, tokensPerSecond } = list;
  // What has been settled does not change any more.
  const now = useNow(100, used === undefined ? expiresAt : 0);
  const isHeld = isOutstanding(answer, now);
  const seconds = Math.max(0, now - askedAt) / 1000;
  const written = crashed ? 0 : Math.floor(seconds * tokensPerSecond);
  const cost = used ?? (isHeld ? Math.min(written, held) : held);
  const tile = { title: label, share: cost / held };
  if (used !== undefined) {
    return (
      <Tile {...tile} state="settled" tone="good">
        Cost {cost}. {held - cost} came back.
      </Tile>
    );
  }
  if (!isHeld) {
    return (
      <Tile {...tile} state="expired" tone="bad">
        All {held} stay taken.
      </Tile>
    );
  }
  if (crashed) {
    return (
      <Tile {...tile} state="crashed" tone="bad">
        {held} held for{" "}
        <Countdown until={expiresAt} since={askedAt} done="a moment" />
      </Tile>
    );
  }
  return (
    <Tile
      {...tile}
      state="writing"
      actions={
        <button
          type="button"
          className="quiet"
          aria-label={`Stop ${label}`}
          onClick={() => void onStop()}
        >
          Stop
        </button>
      }
    >
      {cost} written, {held} held.
    </Tile>
  );
}
