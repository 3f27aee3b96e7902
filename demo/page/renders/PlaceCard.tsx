import type { FunctionReturnType } from "convex/server";
import type { api } from "../../convex/_generated/api.js";
import { useNow } from "../clock.js";
import { Countdown } from "../Countdown.js";

type Render = FunctionReturnType<typeof api.renders.list>["renders"][number];
type Props = { place: number; render: Render | undefined };

/** One of the places, and what holds it. */
export function PlaceCard({ place, render }: Props) {
  return render === undefined ? (
    <FreePlace place={place} />
  ) : (
    <HeldPlace place={place} render={render} />
  );
}

function FreePlace({ place }: { place: number }) {
  return (
    <li data-state="free">
      <p>
        <span className="muted">Place {place + 1}</span>
        <span className="pill">free</span>
      </p>
      <div className="progress" />
      <p className="muted small">Nothing runs here.</p>
    </li>
  );
}

function HeldPlace({ place, render }: { place: number; render: Render }) {
  const { label, beganAt, until, crashed } = render;
  const now = Math.max(useNow(100, until), beganAt);
  // It holds nothing any more, and nobody needs to write that down.
  if (crashed && now >= until) return <FreePlace place={place} />;
  const state = crashed ? "crashed" : "running";
  return (
    <li data-state={state}>
      <p>
        <strong>{label}</strong>
        <span className="pill" data-state={crashed ? "limited" : "done"}>
          {state}
        </span>
      </p>
      <div className="progress" aria-hidden="true">
        <div
          style={{ width: `${(100 * (now - beganAt)) / (until - beganAt)}%` }}
        />
      </div>
      <p className="muted small">
        {crashed ? "Its lease ends in " : "Done in "}
        <Countdown until={until} since={beganAt} done="a moment" />
      </p>
    </li>
  );
}
