import { useMutation, useQuery } from "convex/react";
import { useState } from "react";
import { calculateRateLimit } from "convex-rate-limiter";
import { api } from "../../convex/_generated/api.js";
import { useClock, useNow } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { explain } from "../explain.js";
import { formatTokens } from "../format.js";
import { Meter } from "../Meter.js";
import { Said } from "../Said.js";
import { Segmented } from "../Segmented.js";
import { session } from "../session.js";
import { timeWhenFull } from "../timeWhenFull.js";
import { useCalls } from "../useCalls.js";
import { useLatest } from "../useLatest.js";
import "./together.css";

type User = "Ada" | "Grace";
type Operation = "read" | "upload";
type Answer = { text: string; blockedBy?: string; retryAt?: number };

const USERS: { value: User; label: string }[] = [
  { value: "Ada", label: "Ada" },
  { value: "Grace", label: "Grace" },
];

/** Operations that take from three limits at once. */
export function Together() {
  const clock = useClock();
  const [user, setUser] = useState<User>("Ada");
  const { answer, pending, run, forget } = useCalls<Answer>((error) => ({
    text: explain(error),
  }));
  const states: Record<string, State> | undefined = useLatest(
    useQuery(api.organisations.states, { session, user }),
  );
  const ask = useMutation(api.organisations.perform);

  const titles: Record<string, string> = {
    organisation: "Organisation Acme",
    user: `User ${user}`,
    read: `${user} reads`,
    upload: `${user} uploads`,
  };
  const perform = (operation: Operation) =>
    run(async () => {
      const answer = await ask({ session, user, operation });
      return answer.ok
        ? { text: `${user} may ${operation}.` }
        : {
            text: `Denied by ${titles[answer.blockedBy]}. Nothing was taken.`,
            blockedBy: answer.blockedBy,
            retryAt: clock.now() + answer.retryAfter,
          };
    });

  return (
    <div className="card together">
      <div className="take-row">
        <Segmented
          label="User"
          options={USERS}
          value={user}
          onChange={(user) => {
            setUser(user);
            forget();
          }}
        />
        <button
          type="button"
          className="primary"
          onClick={() => void perform("upload")}
        >
          Upload, costs 5
        </button>
        <button type="button" onClick={() => void perform("read")}>
          Read, costs 1
        </button>
        <Said pending={pending}>
          {answer?.text}
          {answer?.retryAt !== undefined && (
            // The time goes on without a word for screen readers.
            <span aria-hidden="true">
              {" Retry: "}
              <Countdown until={answer.retryAt} done="now" />
            </span>
          )}
        </Said>
      </div>
      <ul className="balances" aria-busy={states === undefined}>
        {Object.entries(titles).map(([name, title]) => (
          <Balance
            key={name}
            title={title}
            state={states?.[name]}
            blocks={answer?.blockedBy === name}
          />
        ))}
      </ul>
    </div>
  );
}

type State = {
  value: number;
  ts: number;
  rate: number;
  period: number;
  capacity: number;
};

function Balance({
  title,
  state,
  blocks,
}: {
  title: string;
  state: State | undefined;
  blocks: boolean;
}) {
  if (state === undefined) return <li className="muted">{title}</li>;
  return <LiveBalance title={title} state={state} blocks={blocks} />;
}

function LiveBalance({
  title,
  state: { value, ts, rate, period, capacity },
  blocks,
}: {
  title: string;
  state: State;
  blocks: boolean;
}) {
  const config = { kind: "token bucket" as const, rate, period, capacity };
  const now = useNow(200, timeWhenFull({ value, ts, config }));
  const balance = calculateRateLimit({ value, ts }, config, now).value;
  return (
    <li data-blocks={blocks}>
      <p>
        <span>{title}</span>
        <span className="tokens">
          {formatTokens(balance)}
          <span className="muted"> of {formatTokens(capacity)}</span>
        </span>
      </p>
      <Meter label={title} value={balance} capacity={capacity} />
    </li>
  );
}
