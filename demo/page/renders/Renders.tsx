import { useAction, useQuery } from "convex/react";
import { calculateRateLimit } from "convex-rate-limiter";
import type { FunctionReturnType } from "convex/server";
import { useRef } from "react";
import { api } from "../../convex/_generated/api.js";
import { Balance } from "../Balance.js";
import { useClock, useNow } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { explain } from "../explain.js";
import { Said } from "../Said.js";
import { session } from "../session.js";
import { useCalls } from "../useCalls.js";
import { useLatest } from "../useLatest.js";
import { PlaceCard } from "./PlaceCard.js";
import "./renders.css";

type List = FunctionReturnType<typeof api.renders.list>;
type Answer = { text: string; retryAt?: number };

/** As many places as the limit has. */
const PLACES = [0, 1, 2];

/** Work that holds a place while it runs. */
export function Renders() {
  const clock = useClock();
  const list = useLatest(useQuery(api.renders.list, { session }));
  const render = useAction(api.renders.render);
  const crash = useAction(api.renders.crash);
  const started = useRef(0);
  const { answer, pending, run, forget } = useCalls<Answer>((error) => ({
    text: explain(error),
  }));

  const start = (ask: typeof render, outcome: string) => {
    const label = `Render ${++started.current}`;
    forget();
    void run(async () => {
      const status = await ask({ session, label });
      return status.ok
        ? { text: `${label} ${outcome}` }
        : {
            text: `Refused ${label}: all three places are taken.`,
            retryAt: clock.now() + status.retryAfter,
          };
    });
  };

  return (
    <div className="card renders">
      <div className="take-row">
        <button
          type="button"
          className="primary"
          onClick={() => start(render, "is done.")}
        >
          Render, 7 s
        </button>
        <button
          type="button"
          onClick={() => start(crash, "has crashed. Nobody tells the limiter.")}
        >
          Render and crash
        </button>
        <Said pending={pending}>
          {answer?.text}
          {answer?.retryAt !== undefined && (
            <span aria-hidden="true">
              {" A lease ends: "}
              <Countdown until={answer.retryAt} done="now" />
            </span>
          )}
        </Said>
      </div>
      {list === undefined ? (
        <p className="muted free">Loading</p>
      ) : (
        <Free list={list} />
      )}
      <ol className="tiles">
        {PLACES.map((place) => (
          <PlaceCard
            key={place}
            place={place}
            render={list?.renders.find((render) => render.place === place)}
          />
        ))}
      </ol>
    </div>
  );
}

/** What the limiter says: it knows of leases, and of nothing else. */
function Free({ list: { places, renders } }: { list: List }) {
  const lastEnd = Math.max(0, ...renders.map(({ until }) => until));
  const { config } = places;
  const { value } = calculateRateLimit(places, config, useNow(100, lastEnd));
  return (
    <div className="free">
      <Balance value={value} capacity={config.capacity} noun="places free" />
    </div>
  );
}
