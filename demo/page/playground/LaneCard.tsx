import { calculateRateLimit } from "convex-rate-limiter";
import { Balance } from "../Balance.js";
import { useNow } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { formatDuration, plural } from "../format.js";
import { Meter } from "../Meter.js";
import { timeWhenFull } from "../timeWhenFull.js";
import { useWaiting } from "../useCalls.js";
import { BalanceChart } from "./BalanceChart.js";
import type { Kind, Settings } from "./settings.js";
import type { Lane, Outcome } from "./useLane.js";

type Props = {
  kind: Kind;
  settings: Settings;
  lane: Lane;
  /** The deepest debt that the next call may leave. */
  debt: number;
};

const TITLES = {
  "token bucket": "Token bucket",
  "fixed window": "Fixed window",
};

export function LaneCard({ kind, settings, lane, debt }: Props) {
  const { stored, history, outcome, pending } = lane;
  const title = TITLES[kind];
  return (
    <article className="card lane" aria-label={title}>
      <header className="lane-head">
        <h3>{title}</h3>
        <Refill kind={kind} settings={settings} />
      </header>
      <div className="lane-now">
        {stored === undefined ? (
          <p className="muted" aria-busy="true">
            Loading
          </p>
        ) : (
          <LiveBalance title={title} stored={stored} debt={debt} />
        )}
        <OutcomeLine outcome={outcome} pending={pending} />
      </div>
      <BalanceChart
        kind={kind}
        settings={settings}
        history={history}
        debt={debt}
      />
    </article>
  );
}

function Refill({ kind, settings }: Pick<Props, "kind" | "settings">) {
  const rate = plural(settings.rate, "token");
  const period = formatDuration(settings.period);
  return (
    <p className="muted small">
      {kind === "token bucket"
        ? `${rate} trickle in over ${period}`
        : `${rate} arrive every ${period}`}
    </p>
  );
}

function LiveBalance({
  title,
  stored,
  debt,
}: {
  title: string;
  stored: NonNullable<Lane["stored"]>;
  debt: number;
}) {
  const { value, ts, config } = stored;
  const now = useNow(100, timeWhenFull(stored));
  const balance = calculateRateLimit({ value, ts }, config, now).value;
  const capacity = config.capacity ?? config.rate;
  return (
    <>
      <Balance value={balance} capacity={capacity} noun="tokens" />
      <Meter
        label={`Balance of the ${title.toLowerCase()}`}
        value={balance}
        capacity={capacity}
        debt={debt}
      />
    </>
  );
}

/** Next to the balance that it is about. */
function OutcomeLine({
  outcome,
  pending,
}: {
  outcome: Outcome | undefined;
  pending: number;
}) {
  const waiting = useWaiting(pending);
  return (
    <div
      className="outcome"
      data-kind={waiting === undefined ? outcome?.kind : "pending"}
    >
      <p role="status">
        {waiting ??
          (outcome === undefined ? (
            <span className="muted">No call yet</span>
          ) : (
            describe(outcome)
          ))}
      </p>
      {waiting === undefined && <Wait outcome={outcome} />}
    </div>
  );
}

function describe(outcome: Outcome): string {
  const tokens = plural(outcome.count, "token");
  switch (outcome.kind) {
    case "granted":
      if (outcome.wouldDeny) return `Dry run: would deny ${tokens}.`;
      return outcome.readyAt === undefined
        ? `Granted ${tokens}.`
        : `Reserved ${tokens}.`;
    case "denied":
      return `Denied ${tokens}.`;
    case "checked":
      return outcome.ok ? `Would grant ${tokens}.` : `Would deny ${tokens}.`;
    case "failed":
      return outcome.message;
    case "reset":
      return "Full again.";
  }
}

/** How long until what the outcome says. */
function Wait({ outcome }: { outcome: Outcome | undefined }) {
  switch (outcome?.kind) {
    case "denied":
      return (
        <p className="wait">
          Retry: <Countdown until={outcome.retryAt} done="now" />
        </p>
      );
    case "granted":
      return outcome.readyAt === undefined ? null : (
        <p className="wait">
          Runs: <Countdown until={outcome.readyAt} done="now" />
        </p>
      );
    case "checked":
      return outcome.waitUntil === undefined ? null : (
        <p className="wait">
          {outcome.ok ? "Runs: " : "Retry: "}
          <Countdown until={outcome.waitUntil} done="now" />
        </p>
      );
    default:
      return null;
  }
}
