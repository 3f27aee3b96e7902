import type { ComponentChildren } from "preact";
import type { Answer } from "../../src/dashboard/answer.js";
import type { LimitValue } from "../../src/dashboard/reads.js";
import { Actions } from "./Actions.js";
import { useState } from "preact/hooks";
import { shardsOf } from "../../src/core/config.js";
import { HOUR } from "../../src/core/periods.js";
import { truncateKey } from "../../src/core/stats.js";
import type { DeniedHour } from "../../src/core/validators.js";
import { balanceAt, forecastAt, type KeyBalance } from "./balance.js";
import { Chart } from "./Chart.js";
import { deniedText, sumOf, UNCOUNTED } from "./denied.js";
import { Leases } from "./Leases.js";
import { KeyName, LimitName } from "./Name.js";
import { NoOverrides, Override } from "./Overrides.js";
import {
  balanceText,
  BalanceBar,
  fullText,
  LimitHead,
  NameTitle,
  ReadingStatus,
  StateLabel,
} from "./parts.js";
import { rowsOf } from "./rule.js";
import { RuleLine } from "./RuleLine.js";
import { useAnswer, useServerNow } from "./session.js";
import {
  formatCount,
  formatDuration,
  formatTime,
  formatTimeOfDay,
} from "./words.js";

/** The view of a key, or without a name that of the whole limit. */
export function OneKey({
  limit,
  name,
  from,
}: {
  limit: string;
  name: string | undefined;
  /** The hash of the view of this limit from which the key was opened. */
  from: string;
}) {
  const reading = useAnswer<"key">({
    ask: "key",
    limit,
    ...(name !== undefined && { key: name }),
  });
  const { answer, reread } = reading;
  return (
    <>
      {name === undefined ? (
        <LimitHead
          limit={limit}
          current="key"
          config={answer?.config}
          whole={answer}
        />
      ) : (
        <>
          <nav class="crumbs" aria-label="Where you are">
            <a href="#/">Limits</a> <span aria-hidden="true">/</span>{" "}
            <a href={from}>
              <LimitName of={limit} />
            </a>
          </nav>
          <NameTitle of={name}>
            {(isWhole) => <KeyName of={name} isWhole={isWhole} />}
          </NameTitle>
          {answer === undefined ? (
            <p class="meaning">{"\u00a0"}</p>
          ) : (
            <RuleLine of={answer} />
          )}
        </>
      )}
      <ReadingStatus reading={reading} />
      {answer !== undefined && (
        <>
          {name === undefined && answer.config.requireKey === true ? (
            <section>
              <h2>Calls without a key</h2>
              <p class="empty">
                There are none: with <code>requireKey</code> each call of this
                limit has to name a key.
              </p>
            </section>
          ) : (
            <Holding answer={answer} name={name} />
          )}
          {answer.leases !== undefined && (
            <Leases
              limit={limit}
              name={name}
              of={answer.leases}
              onDone={reread}
            />
          )}
          {name !== undefined && <Denied name={name} answer={answer} />}
          <section>
            <h2>Overrides</h2>
            {answer.config.overrides !== true ? (
              <NoOverrides />
            ) : answer.overrides.length + answer.ofLimit.length === 0 ? (
              <p class="empty">
                {name === undefined
                  ? "None: the limit is as the code says."
                  : "None, neither of this key nor of the whole limit: it is as the code says."}
              </p>
            ) : (
              <ul class="overrides">
                {answer.overrides.map((override, i) => (
                  <li key={`own ${i}`}>
                    <em class="key">
                      {name === undefined ? "Whole limit" : "This key"}
                    </em>
                    <Override override={override} />
                  </li>
                ))}
                {answer.ofLimit.map((override, i) => (
                  <li key={`of limit ${i}`}>
                    <em class="key">Whole limit</em>
                    <Override override={override} />
                  </li>
                ))}
              </ul>
            )}
          </section>
          <Actions limit={limit} name={name} answer={answer} onDone={reread} />
        </>
      )}
    </>
  );
}

/** How often a balance that refills is drawn. */
const TICK_MS = 100;

function Holding({
  answer: { value },
  name,
}: {
  answer: Answer<"key">;
  name: string | undefined;
}) {
  const now = useServerNow(TICK_MS);
  const balance = balanceAt(value, now);
  const rows = rowsOf(value);
  return (
    <section class="holding">
      <h2>{name === undefined ? "Calls without a key" : "Balance"}</h2>
      <p class="large-balance">
        <span class="amount">{balanceText(balance)}</span>
        <StateLabel of={balance} />
      </p>
      <BalanceBar of={balance} />
      <p class="muted">{sayWhen(balance, unitOf(value), now)}</p>
      {(rows > 1 || shardsOf(value.config) === "auto") && (
        <p class="muted">
          Split over {formatCount(rows)} {rows === 1 ? "row" : "rows"} now.
        </p>
      )}
      <CallNow value={value} balance={balance} now={now} />
    </section>
  );
}

/** What the balance counts. */
const unitOf = ({ config }: LimitValue) =>
  config.kind === "concurrency" ? "place" : "token";

/** Says whether a call for a count that the operator types would be granted now. */
function CallNow({
  value,
  balance,
  now,
}: {
  value: LimitValue;
  balance: KeyBalance;
  now: number;
}) {
  const [typed, setTyped] = useState("1");
  const asked = Number(typed);
  const isCount = typed !== "" && asked >= 0 && Number.isFinite(asked);
  return (
    <div class="call-now">
      <label for="count">A call now with a count of</label>
      <input
        id="count"
        type="number"
        min={0}
        step="any"
        inputMode="decimal"
        value={typed}
        aria-describedby="verdict"
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <p id="verdict">
        {isCount
          ? sayVerdict(value, balance, asked, now)
          : "How many tokens does it take?"}
      </p>
    </div>
  );
}

function sayVerdict(
  value: LimitValue,
  { effect, isEnforced }: KeyBalance,
  asked: number,
  now: number,
): ComponentChildren {
  const { wait, isTooMuch, max } = forecastAt(value, asked, now);
  if (wait === 0) {
    return (
      <>
        <b>Granted.</b>{" "}
        {effect === "unlimited"
          ? "The key is unlimited."
          : max > asked && `Up to ${formatCount(max)} would be.`}
      </>
    );
  }
  if (!isEnforced) {
    return (
      <>
        <b>Granted.</b> But only because this is a dry run, which reports that
        it would be denied.
      </>
    );
  }
  if (isTooMuch) {
    return (
      <>
        <b class="denials">Never granted.</b> That is more than the limit can
        hold, so the call throws.
      </>
    );
  }
  const why =
    effect === "banned"
      ? "The key is banned."
      : max > 0
        ? `Only ${formatCount(max)} would be granted.`
        : `Less than one ${unitOf(value)} is left.`;
  const end = unitOf(value) === "place" ? ", or when one is released" : "";
  return (
    <>
      <b class="denials">Denied.</b> {why}
      {wait < Infinity &&
        ` Granted in ${formatDuration(wait)}, at ${formatMoment(now + wait, now)}${end}.`}
    </>
  );
}

/** With seconds if it is within an hour. */
const formatMoment = (ms: number, now: number) =>
  ms - now < HOUR ? formatTimeOfDay(ms) : formatTime(ms, now);

/** How often the key was denied in each hour of the last day. */
function Denied({
  name,
  answer: { denied, config },
}: {
  name: string;
  answer: Answer<"key">;
}) {
  return (
    <section class="by-hour">
      <h2>Denied in the last 24 hours</h2>
      {denied === undefined ? (
        <p class="empty">
          This limit keeps no stats. With <code>stats: true</code> in its config
          it shows how often it denied a key, and when.
        </p>
      ) : (
        <DeniedHours
          name={name}
          hours={denied}
          share={Number(config.stats ?? 1)}
        />
      )}
    </section>
  );
}

function DeniedHours({
  name,
  hours,
  share,
}: {
  name: string;
  hours: DeniedHour[];
  /** The share of the calls that is counted, from 0 to 1. */
  share: number;
}) {
  const sum = sumOf(hours);
  const words = deniedText(sum);
  const nothing = { granted: 0, wouldDeny: 0 };
  const bars = hours.map(({ from, denied }) => ({
    ...nothing,
    from,
    to: from + HOUR,
    denied,
  }));
  return (
    <>
      <p>
        {sum.denied === 0
          ? sum.isLowerBound
            ? "No denial is known."
            : "No call was denied."
          : `${words[0]!.toUpperCase()}${words.slice(1)}.`}
        {sum.isLowerBound &&
          " Where 100 keys or more were denied in an hour, not all denials are kept."}
        {share < 1 &&
          ` Estimated from ${formatCount(share * 100)}% of the calls.`}
        {truncateKey(name) !== name &&
          " Long keys that begin alike are counted together."}{" "}
        <span class="muted">{UNCOUNTED}</span>
      </p>
      {sum.denied > 0 && (
        <Chart
          label="Denials by the hour"
          bars={bars}
          say={({ from }) =>
            deniedText(hours.find((hour) => hour.from === from)!)
          }
        >
          <i class="swatch denied" /> denied.
        </Chart>
      )}
    </>
  );
}

/** When the next token arrives, and when the balance is full. */
function sayWhen(balance: KeyBalance, unit: string, now: number): string {
  const { effect, fullIn, grantedIn } = balance;
  if (effect === "banned") return "Every request is denied.";
  if (effect === "unlimited")
    return "Every request is granted and takes nothing.";
  if (fullIn === undefined && grantedIn === undefined) return "It is full.";
  const full =
    fullIn === undefined
      ? ""
      : `${fullText(balance)}, at ${formatTime(now + fullIn, now)}`;
  const next =
    grantedIn === undefined
      ? ""
      : grantedIn === Infinity
        ? "No request is ever granted"
        : `one ${unit} in ${formatDuration(grantedIn)}`;
  const text = [next, full].filter((part) => part !== "").join(", ");
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
