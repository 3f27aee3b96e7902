import { useMutation, useQuery } from "convex/react";
import { useState } from "react";
import { calculateRateLimit } from "convex-rate-limiter";
import { api } from "../../convex/_generated/api.js";
import { useClock, useNow } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { formatTokens } from "../format.js";
import { Meter } from "../Meter.js";
import { Segmented } from "../Segmented.js";
import { session } from "../session.js";
import { useLatest } from "../useLatest.js";

type User = "Ada" | "Grace";
type Operation = "read" | "upload";
type Said = { text: string; blockedBy?: string; retryAt?: number };

const USERS: { value: User; label: string }[] = [
  { value: "Ada", label: "Ada" },
  { value: "Grace", label: "Grace" },
];

/** Operations that take from three limits at once. */
export function Together() {
  const clock = useClock();
  const [user, setUser] = useState<User>("Ada");
  const [said, setSaid] = useState<Said>();
  const states: Record<string, State> | undefined = useLatest(
    useQuery(api.organisations.states, { session, user }),
  );
  const perform = useMutation(api.organisations.perform);

  const titles: Record<string, string> = {
    organisation: "Organisation Acme",
    user: `User ${user}`,
    read: `${user} reads`,
    upload: `${user} uploads`,
  };
  const run = async (operation: Operation) => {
    try {
      const answer = await perform({ session, user, operation });
      setSaid(
        answer.ok
          ? { text: `${user} may ${operation}.` }
          : {
              text: `Denied. Blocked by: ${titles[answer.blockedBy]}. Nothing was taken.`,
              blockedBy: answer.blockedBy,
              retryAt: clock.now() + answer.retryAfter,
            },
      );
    } catch (error) {
      setSaid({ text: String(error) });
    }
  };

  return (
    <div className="card together">
      <div className="take-row">
        <Segmented
          label="User"
          options={USERS}
          value={user}
          onChange={(user) => {
            setUser(user);
            setSaid(undefined);
          }}
        />
        <button
          type="button"
          className="primary"
          onClick={() => void run("read")}
        >
          Read, costs 1
        </button>
        <button
          type="button"
          className="primary"
          onClick={() => void run("upload")}
        >
          Upload, costs 5
        </button>
        <Answer said={said} />
      </div>
      <ul className="balances" aria-busy={states === undefined}>
        {Object.entries(titles).map(([name, title]) => (
          <Balance
            key={name}
            title={title}
            state={states?.[name]}
            blocks={said?.blockedBy === name}
          />
        ))}
      </ul>
    </div>
  );
}

function Answer({ said }: { said: Said | undefined }) {
  return (
    <div className="said">
      <p role="status">{said?.text}</p>
      {said?.retryAt !== undefined && (
        <p className="wait">
          Retry: <Countdown until={said.retryAt} done="now" />
        </p>
      )}
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
  const now = useNow(200);
  if (state === undefined) return <li className="loading">{title}</li>;
  const { capacity, rate, period } = state;
  const config = { kind: "token bucket" as const, rate, period, capacity };
  const { value } = calculateRateLimit(state, config, now);
  return (
    <li data-blocks={blocks}>
      <p>
        <span>{title}</span>
        <span className="tokens">
          {formatTokens(value)}
          <span className="muted"> of {formatTokens(capacity)}</span>
        </span>
      </p>
      <Meter label={title} value={value} capacity={capacity} />
    </li>
  );
}
