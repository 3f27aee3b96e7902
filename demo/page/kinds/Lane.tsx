import { formatDuration } from "../../../dashboard/page/words.js";
import { CallStatus } from "../CallStatus.js";
import { Balance } from "../Balance.js";
import { plural } from "../words.js";
import { BalanceChart } from "./BalanceChart.js";
import type { Lane as LaneState } from "./useLane.js";

const TITLES = {
  "token bucket": "Token bucket",
  "fixed window": "Fixed window",
};

/** One of the limits: its balance, its last answer, and its history. */
export function Lane({ lane }: { lane: LaneState }) {
  const { config, stored, history, calls } = lane;
  const { kind, rate, period } = config;
  const title = TITLES[kind];
  const tokens = plural(rate, "token");
  return (
    <article className="lane" aria-label={title}>
      <header>
        <h3>{title}</h3>
        <p className="muted small">
          {kind === "token bucket"
            ? `${tokens} trickle in over ${formatDuration(period)}`
            : `${tokens} arrive every ${formatDuration(period)}`}
        </p>
      </header>
      <Balance stored={stored} noun="tokens" />
      <CallStatus {...calls} hint="Take some, three times." />
      <BalanceChart config={config} history={history} />
    </article>
  );
}
