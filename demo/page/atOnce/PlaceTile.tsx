import type { FunctionReturnType } from "convex/server";
import type { api } from "../../convex/_generated/api.js";
import { useNow } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { Tile } from "../Tile.js";

type Render = FunctionReturnType<typeof api.renders.list>["renders"][number];
type Props = { place: number; render: Render | undefined };

/** One of the places, and what holds it. */
export function PlaceTile({ place, render }: Props) {
  const free = (
    <Tile title={`Place ${place + 1}`} state="free">
      Nothing runs here.
    </Tile>
  );
  return render === undefined ? free : <Held render={render} free={free} />;
}

function Held({ render, free }: { render: Render; free: React.ReactNode }) {
  const { label, beganAt, until, crashed } = render;
  const now = Math.max(useNow(100, until), beganAt);
  // It holds nothing any more, and nobody needs to write that down.
  if (crashed && now >= until) return free;
  return (
    <Tile
      title={label}
      state={crashed ? "crashed" : "running"}
      tone={crashed ? "bad" : "good"}
      share={(now - beganAt) / (until - beganAt)}
    >
      {crashed ? "Its lease ends in " : "Done in "}
      <Countdown until={until} since={beganAt} done="a moment" />
    </Tile>
  );
}
