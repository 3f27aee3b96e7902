import { useAction, useMutation, useQuery } from "convex/react";
import { useRef } from "react";
import { api } from "../../convex/_generated/api.js";
import { denied, done, useAnswers } from "../answer.js";
import { useClock } from "../clock.js";
import { session } from "../session.js";
import { Trial } from "../Trial.js";
import { useLatest } from "../useLatest.js";
import { PlaceTile } from "./PlaceTile.js";

/** As many places as the limit has. */
const PLACES = [0, 1, 2];

/** Work that holds a place while it runs. */
export function AtOnce() {
  const now = useClock();
  const list = useLatest(useQuery(api.renders.list, { session }));
  const render = useAction(api.renders.render);
  const crash = useMutation(api.renders.crash);
  const started = useRef(0);
  const calls = useAnswers();

  const start = (ask: typeof render | typeof crash, outcome: string) => {
    const label = `Render ${++started.current}`;
    calls.forget();
    return calls.run(async () => {
      const status = await ask({ session, label });
      return status.ok
        ? done(`${label} ${outcome}`)
        : denied("No place is free.", now() + status.retryAfter, "Next");
    });
  };

  return (
    <Trial
      calls={calls}
      hint="Start four. The fourth finds no place."
      actions={[
        ["Render, 7 s", () => start(render, "is done.")],
        [
          "Render and crash",
          () => start(crash, "crashed and released nothing."),
        ],
      ]}
      balance={{ stored: list?.places, noun: "places free" }}
    >
      <ol className="tiles">
        {PLACES.map((place) => (
          <PlaceTile
            key={place}
            place={place}
            render={list?.renders.find((render) => render.place === place)}
          />
        ))}
      </ol>
    </Trial>
  );
}
