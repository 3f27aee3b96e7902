import { calculateRateLimit } from "convex-rate-limiter";
import { useNow } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { formatTokens, plural } from "../format.js";
import { Meter } from "../Meter.js";
import { BalanceChart } from "./BalanceChart.js";
import type { Kind, Settings } from "./settings.js";
import type { Lane, Outcome } from "./useLane.js";

type Props = { kind: Kind; settings: Settings; lane: Lane };

const TITLES = {
  "token bucket": "Token bucket",
  "fixed window": "Fixed window",
};

export function LaneCard({ kind, settings, lane }: Props) {
  const { stored, history, outcome } = lane;
  const title = TITLES[kind];
  return (
    <article className="card lane" aria-label={title}>
      <header className="lane-head">
        <h3>{title}</h3>
        <Refill kind={kind} settings={settings} />
      </header>
      {stored === undefined ? (
        <div className="balance loading" aria-busy="true">
          Loading
        </div>
      ) : (
        <Balance title={title} stored={stored} />
      )}
      <BalanceChart kind={kind} settings={settings} history={history} />
      <OutcomeLine outcome={outcome} />
    </article>
  );
}

function Refill({ kind, settings }: Pick<Props, "kind" | "settings">) {
  const { rate, period } = settings;
  const seconds = period / 1000;
  return (
    <p className="muted small">
      {kind === "token bucket"
        ? `${plural(rate, "token")} trickle in over ${seconds} s`
        : `${plural(rate, "token")} arrive every ${seconds} s`}
    </p>
  );
}

function Balance({
  title,
  stored,
}: {
  title: string;
  stored: NonNullable<Lane["stored"]>;
}) {
  const { value, ts, config } = stored;
  const now = useNow(100);
  const balance = calculateRateLimit({ value, ts }, config, now).value;
  const capacity = config.capacity ?? config.rate;
  return (
    <div className="balance">
      <p>
        <strong data-debt={balance < 0}>{formatTokens(balance)}</strong>
        <span className="muted"> of {formatTokens(capacity)} tokens</span>
      </p>
      <Meter
        label={`Balance of the ${title.toLowerCase()}`}
        value={balance}
        capacity={capacity}
      />
    </div>
  );
}

function OutcomeLine({ outcome }: { outcome: Outcome | undefined }) {
  return (
    <div className="outcome" data-kind={outcome?.kind}>
      <p role="status">
        {outcome === undefined ? (
          <span className="muted">Take tokens to see the answer.</span>
        ) : (
          describe(outcome)
        )}
      </p>
      <Wait outcome={outcome} />
    </div>
  );
}

function describe(outcome: Outcome): string {
  const tokens = plural(outcome.count, "token");
  switch (outcome.kind) {
    case "granted":
      if (outcome.wouldDeny) {
        return `Would have denied ${tokens}, but this is a dry run.`;
      }
      return outcome.readyAt === undefined
        ? `Granted ${tokens}.`
        : `Reserved ${tokens}.`;
    case "denied":
      return `Denied ${tokens}.`;
    case "checked":
      return outcome.ok
        ? `${tokens} would be granted.`
        : `${tokens} would be denied.`;
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
