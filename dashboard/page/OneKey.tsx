import type { Answer } from "../../src/dashboard/answer.js";
import { Actions } from "./Actions.js";
import { balanceAt, leasesOf, type Balance } from "./balance.js";
import { KeyName, LimitName } from "./Name.js";
import { NoOverrides, Override } from "./Overrides.js";
import {
  balanceText,
  Bar,
  fullText,
  LimitHead,
  NameTitle,
  Standing,
  State,
} from "./parts.js";
import { useAnswer, useServerNow } from "./session.js";
import { count, duration, meaning, time } from "./words.js";

/** A key, or without a name the whole limit. */
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
        <LimitHead limit={limit} current="key" config={answer?.config} />
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
          <p class="meaning">
            {answer === undefined ? "\u00a0" : meaning(answer.config)}
          </p>
        </>
      )}
      <Standing reading={reading} />
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
          <section>
            <h2>Overrides</h2>
            {answer.config.overrides !== true ? (
              <NoOverrides />
            ) : answer.overrides.length === 0 ? (
              <p class="empty">
                {name === undefined
                  ? "None: the limit is as the code says."
                  : "None: the limit of this key is as the code says, unless the whole limit is overridden."}
              </p>
            ) : (
              <ul class="overrides">
                {answer.overrides.map((override, i) => (
                  <li key={i}>
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

/** Balances change all the time while they refill. */
const TICK_MS = 100;

function Holding({
  answer: { value, config },
  name,
}: {
  answer: Answer<"key">;
  name: string | undefined;
}) {
  const now = useServerNow(TICK_MS);
  const balance = balanceAt(value, now);
  const leases = leasesOf(value, now);
  return (
    <section class="holding">
      <h2>{name === undefined ? "Calls without a key" : "Balance"}</h2>
      <p class="large-balance">
        <span class="amount">{balanceText(balance)}</span>
        <State of={balance} />
      </p>
      <Bar of={balance} />
      <p class="muted">
        {sayWhen(
          balance,
          config.kind === "concurrency" ? "place" : "token",
          now,
        )}
      </p>
      {config.kind === "concurrency" && (
        <>
          <h3>Leases</h3>
          {leases.length === 0 ? (
            <p class="muted">Nothing runs.</p>
          ) : (
            <ol>
              {leases.map(({ taken, endsAt }, i) => (
                <li key={i}>
                  {count(taken)} held, ends in {duration(endsAt - now)} unless
                  renewed
                </li>
              ))}
            </ol>
          )}
        </>
      )}
    </section>
  );
}

/** When what changes: the next token, and when it is full. */
function sayWhen(balance: Balance, unit: string, now: number): string {
  const { effect, fullIn, grantedIn } = balance;
  if (effect === "banned") return "Every request is denied.";
  if (effect === "unlimited")
    return "Every request is granted and takes nothing.";
  if (fullIn === undefined && grantedIn === undefined) return "It is full.";
  const full =
    fullIn === undefined
      ? ""
      : `${fullText(balance)}, at ${time(now + fullIn, now)}`;
  const next =
    grantedIn === undefined
      ? ""
      : grantedIn === Infinity
        ? "No request is ever granted"
        : `one ${unit} in ${duration(grantedIn)}`;
  const text = [next, full].filter((part) => part !== "").join(", ");
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
