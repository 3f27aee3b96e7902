import type { DashboardLimit } from "../../src/dashboard/reads.js";
import { SmallChart } from "./Chart.js";
import { UNCOUNTED } from "./denied.js";
import { FindKey } from "./Find.js";
import { LimitName, Summary } from "./Name.js";
import { ReadingStatus, Title } from "./parts.js";
import { allKeysOf, toHash } from "./route.js";
import { Modes } from "./RuleLine.js";
import { useAnswer } from "./session.js";
import { describeLimit } from "./words.js";

export function Limits() {
  const reading = useAnswer<"limits">({ ask: "limits" });
  const { answer } = reading;
  return (
    <>
      <Title>Limits</Title>
      <FindKey />
      <ReadingStatus reading={reading} />
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
      {answer?.limits.some(({ hour }) => hour === undefined) && (
        <p class="muted small">
          A limit without charts keeps no stats. With <code>stats: true</code>{" "}
          in its config it shows what it grants and denies.
        </p>
      )}
      {answer?.limits.some(({ hour }) => hour !== undefined) && (
        <p class="muted small">{UNCOUNTED}</p>
      )}
      {answer !== undefined && answer.others.names.length > 0 && (
        <Others {...answer.others} />
      )}
    </>
  );
}

/** Limits in use that the code does not name. */
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
        <p class="meaning">{describeLimit(config)}</p>
        <Modes config={config} />
        {overrides.map((override, i) => (
          <p key={i} class="whole">
            <b>Whole limit:</b> <Summary of={override} now={now} />
          </p>
        ))}
      </div>
      {hour !== undefined && day !== undefined && (
        <>
          <SmallChart title="Last hour" stats={hour} />
          <SmallChart title="Last day" stats={day} />
        </>
      )}
    </li>
  );
}
