import type { DeniedKey, LimitConfig } from "../../src/client/index.js";
import { toStored } from "../../src/core/config.js";
import { canSplit, mostRows } from "../../src/state/spread/split.js";
import type {
  CloseCalls as CloseCallCounts,
  StatsSeries,
} from "../../src/dashboard/reads.js";
import { LargeChart } from "./Chart.js";
import { totalsOf } from "./bars.js";
import { UNCOUNTED } from "./denied.js";
import { KeyName } from "./Name.js";
import { Choice, LimitHead, ReadingStatus } from "./parts.js";
import { allKeysOf, toHash, type RouteOf } from "./route.js";
import { useAnswer } from "./session.js";
import { formatCount } from "./words.js";

const SPANS = [
  { value: "hour", label: "Hour" },
  { value: "day", label: "Day" },
  { value: "month", label: "30 days" },
] as const;

export function Denials({ route }: { route: RouteOf<"denials"> }) {
  const { limit, span } = route;
  const reading = useAnswer<"denials">({ ask: "denials", limit, span });
  const { answer, isStale } = reading;
  return (
    <>
      <LimitHead
        limit={limit}
        current="denials"
        config={answer?.config}
        whole={answer?.whole}
      />
      <ReadingStatus reading={reading} />
      {answer !== undefined && answer.stats === undefined && (
        <p class="empty">
          The calls of this limit are not counted, nor how often they come close
          on one row. Set <code>stats: true</code> in its config and deploy:
          each call then writes one row more. Counting never causes a write
          conflict.
        </p>
      )}
      {answer?.stats !== undefined && (
        <>
          <div class="controls">
            <Choice
              legend="Time"
              name="span"
              options={SPANS}
              value={span}
              onChoose={(chosen) =>
                location.replace(toHash({ ...route, span: chosen }))
              }
            />
          </div>
          <div data-stale={isStale}>
            <Totals stats={answer.stats} />
            <p class="muted small">{UNCOUNTED}</p>
            <LargeChart stats={answer.stats} />
            <CloseCalls config={answer.config} close={answer.closeCalls} />
            <Top
              limit={limit}
              title="Denied most"
              top={answer.top ?? []}
              say="denied"
            />
            {answer.topWouldDeny !== undefined &&
              answer.topWouldDeny.length > 0 && (
                <Top
                  limit={limit}
                  title="A dry run would deny most"
                  top={answer.topWouldDeny}
                  say="would be denied"
                />
              )}
          </div>
        </>
      )}
    </>
  );
}

function Totals({ stats }: { stats: StatsSeries }) {
  const { granted, denied, wouldDeny } = totalsOf(stats);
  const share = granted + denied === 0 ? 0 : denied / (granted + denied);
  return (
    <dl class="totals">
      <div>
        <dt>Granted</dt>
        <dd>{formatCount(granted)}</dd>
      </div>
      <div>
        <dt>Denied</dt>
        <dd class={denied > 0 ? "denials" : ""}>{formatCount(denied)}</dd>
      </div>
      <div>
        <dt>Share denied</dt>
        <dd>{formatCount(Math.round(share * 1000) / 10)}%</dd>
      </div>
      {wouldDeny > 0 && (
        <div>
          <dt>A dry run would deny</dt>
          <dd>{formatCount(wouldDeny)}</dd>
        </div>
      )}
    </dl>
  );
}

/**
 * How often calls came so close on one row that they could have conflicted, and what to do about
 * it. Shows nothing for limits that split themselves, and for concurrency limits.
 */
function CloseCalls({
  config,
  close,
}: {
  config: LimitConfig;
  close: CloseCallCounts | undefined;
}) {
  const { kind, warnAt } = config;
  if (close === undefined || kind === "concurrency") return null;
  if (canSplit({ usual: toStored(config) })) return null;
  return (
    <section>
      <h2>Close calls</h2>
      <p>
        {formatCount(close.hour)} in the last hour, {formatCount(close.day)} in
        the last day.
      </p>
      <p class="muted small">
        Granted calls that found their row written less than 50 ms before: there
        calls can conflict.
      </p>
      {close.day > 0 && (
        <p class="muted small">
          {warnAt === undefined && mostRows(2, toStored(config)) > 1 && (
            <>
              Try <code>shards: "auto"</code>.{" "}
            </>
          )}
          See docs/scaling.md of convex-rate-limiter.
        </p>
      )}
    </section>
  );
}

function Top({
  limit,
  title,
  top,
  say,
}: {
  limit: string;
  title: string;
  top: DeniedKey[];
  /** What follows the number of calls. */
  say: string;
}) {
  const most = top[0]?.denied ?? 1;
  return (
    <section>
      <h2>{title}</h2>
      <p class="muted small">In all hours that this time touches.</p>
      {top.length === 0 ? (
        <p class="empty">No key was denied.</p>
      ) : (
        <ol class="keys denied-most">
          {top.map(({ key, denied }) => (
            <li key={key}>
              <a class="key" href={toHash(routeOf(limit, key))}>
                <KeyName of={key} />
              </a>
              <span class="bar" data-state="limited" aria-hidden="true">
                <i style={{ width: `${(denied / most) * 100}%` }} />
              </span>
              <span class="amount">
                {formatCount(denied)} {say}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** A key that was cut off can only be searched for. */
function routeOf(limit: string, key: string) {
  return key.endsWith("…")
    ? { ...allKeysOf(limit), prefix: key.slice(0, -1) }
    : ({ view: "key", limit, key } as const);
}
