import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { Answer } from "../../src/dashboard/answer.js";
import type { FoundKey } from "../../src/dashboard/reads.js";
import { balanceAt } from "./balance.js";
import { deniedText, sumOf } from "./denied.js";
import { KeyName, LimitName, Summary } from "./Name.js";
import {
  balanceText,
  BalanceBar,
  fullText,
  NameTitle,
  SearchBox,
  ReadingStatus,
  StateLabel,
  storedText,
} from "./parts.js";
import { allKeysOf, toHash } from "./route.js";
import { useAnswer, useServerNow } from "./session.js";
import { formatCount, formatTime } from "./words.js";

/** One key in all limits: what it holds, how often it was denied, and its overrides. */
export function Find({ name }: { name: string }) {
  const reading = useAnswer<"find">({ ask: "find", key: name });
  const { answer } = reading;
  return (
    <>
      <nav class="crumbs" aria-label="Where you are">
        <a href="#/">Limits</a>
      </nav>
      <NameTitle of={name}>
        {(isWhole) => (
          <>
            <KeyName of={name} isWhole={isWhole} /> in all limits
          </>
        )}
      </NameTitle>
      <FindKey initial={name} />
      <ReadingStatus reading={reading} />
      {answer !== undefined && <Results name={name} answer={answer} />}
    </>
  );
}

/** A box for a key, which opens the view above. */
export function FindKey({ initial = "" }: { initial?: string }) {
  const [typed, setTyped] = useState(initial);
  return (
    <form
      class="controls"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed !== "") location.hash = toHash({ view: "find", key: typed });
      }}
    >
      <SearchBox
        id="find"
        label="Find a key in all limits"
        placeholder="The whole key, as calls give it"
        value={typed}
        onType={setTyped}
      />
      <button type="submit" aria-disabled={typed === ""}>
        Find
      </button>
    </form>
  );
}

function Results({ name, answer }: { name: string; answer: Answer<"find"> }) {
  const now = useServerNow(250);
  const { found, others, isMore } = answer;
  const isKnownIn = (one: FoundKey) => {
    const { fullIn, effect, value, capacity } = balanceAt(one.value, now);
    return (
      fullIn !== undefined ||
      effect !== "limited" ||
      value < capacity ||
      one.overrides.length > 0 ||
      sumOf(one.denied ?? []).denied > 0
    );
  };
  const known = found.filter(isKnownIn);
  const rest = found.filter((one) => !known.includes(one));
  const isUnknown = known.length + others.length === 0;
  return (
    <>
      {isUnknown ? (
        <p class="empty">
          No limit knows this key: none was used with it lately, none denied it
          in the last 24 hours, and none has an override for it. Keys have to be
          typed in whole; the list of a limit finds them by how they begin.
        </p>
      ) : (
        <ul class="keys" aria-label="Limits that know this key">
          {known.map((one) => (
            <Row key={one.name} name={name} found={one} now={now} />
          ))}
          {others.map(({ name: limit, ...stored }) => (
            <li key={limit} class="stored">
              <a class="key" href={toHash(allKeysOf(limit))}>
                <LimitName of={limit} />
              </a>
              <span class="amount">{storedText(stored)}</span>
              <span class="when">used at {formatTime(stored.usedAt, now)}</span>
            </li>
          ))}
        </ul>
      )}
      {rest.length > 0 && (
        <p class="elsewhere">
          {isUnknown
            ? "Open it all the same in: "
            : "Not used with it lately: "}
          {rest.map((one, i) => (
            <Fragment key={one.name}>
              {i > 0 && ", "}
              <a href={toHash({ view: "key", limit: one.name, key: name })}>
                <LimitName of={one.name} />
              </a>
            </Fragment>
          ))}
        </p>
      )}
      {isMore && (
        <p class="muted small">
          Of the limits that the code does not name, these are the first{" "}
          {formatCount(others.length)} by name.
        </p>
      )}
    </>
  );
}

function Row({
  name,
  found,
  now,
}: {
  name: string;
  found: FoundKey;
  now: number;
}) {
  const balance = balanceAt(found.value, now);
  const denied = sumOf(found.denied ?? []);
  return (
    <li>
      <div>
        <a
          class="key"
          href={toHash({ view: "key", limit: found.name, key: name })}
        >
          <LimitName of={found.name} />
        </a>
        {denied.denied > 0 && (
          <p class="denials small">{deniedText(denied)} in the last 24 hours</p>
        )}
        {found.overrides.map((override, i) => (
          <p key={i} class="muted small">
            <Summary of={override} now={now} />
          </p>
        ))}
      </div>
      <StateLabel of={balance} />
      <BalanceBar of={balance} />
      <span class="amount">{balanceText(balance)}</span>
      <span class="when">{fullText(balance)}</span>
    </li>
  );
}
