import type { DashboardLimit } from "../../src/dashboard/reads.js";
import { SmallChart } from "./Chart.js";
import { UNSEEN } from "./denied.js";
import { FindKey } from "./FindKey.js";
import { LimitName, Summary } from "./Name.js";
import { Standing, Title } from "./parts.js";
import { allKeysOf, toHash } from "./route.js";
import { Modes } from "./RuleLine.js";
import { useAnswer } from "./session.js";
import { meaning } from "./words.js";

export function Limits() {
  const reading = useAnswer<"limits">({ ask: "limits" });
  const { answer } = reading;
  return (
    <>
      <Title>Limits</Title>
      <FindKey />
      <Standing reading={reading} />
      {answer?.limits.length === 0 && (
        <p class="empty">
          The <code>RateLimiter</code> of this app names no limits in its
          constructor. Others are listed here while they are in use.
        </p>
      )}
      {answer !== undefined && answer.limits.length > 0 && (
        <ul class="limits">
          {answer.limits.map((limit) => (
            <Limit key={limit.name} limit={limit} now={answer.now} />
          ))}
        </ul>
      )}
      {answer?.limits.some(({ hour }) => hour !== undefined) && (
        <p class="muted small">{UNSEEN}</p>
      )}
      {answer !== undefined && answer.others.names.length > 0 && (
        <Others {...answer.others} />
      )}
    </>
  );
}

/** What is known of limits whose config comes with the call. */
function Others({ names, isMore }: { names: string[]; isMore: boolean }) {
  return (
    <section>
      <h2>Not named in the code</h2>
      <p class="muted">
        The config of these limits comes with each call. So it is not known here
        what they would grant, and they cannot be asked or changed. Their keys
        are listed while they are in use, with what is stored.
      </p>
      <ul class="others">
        {names.map((name) => (
          <li key={name}>
            <a href={toHash(allKeysOf(name))}>
              <LimitName of={name} />
            </a>
          </li>
        ))}
      </ul>
      {isMore && (
        <p class="muted small">
          These are the first ones by name; there are more.
        </p>
      )}
    </section>
  );
}

function Limit({ limit, now }: { limit: DashboardLimit; now: number }) {
  const { name, config, overrides, hour, day } = limit;
  return (
    <li class="limit">
      <div>
        <h2>
          <a href={toHash(allKeysOf(name))}>
            <LimitName of={name} />
          </a>
        </h2>
        <p class="meaning">{meaning(config)}</p>
        <Modes config={config} />
        {overrides.map((override, i) => (
          <p key={i} class="whole">
            <b>Whole limit:</b> <Summary of={override} now={now} />
          </p>
        ))}
      </div>
      {hour === undefined || day === undefined ? (
        <p class="uncounted muted small">
          Not counted. With <code>stats: true</code> this limit shows what it
          grants and denies.
        </p>
      ) : (
        <>
          <SmallChart title="Last hour" figures={hour} />
          <SmallChart title="Last day" figures={day} />
        </>
      )}
    </li>
  );
}
