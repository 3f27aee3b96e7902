import { useEffect, useRef, useState } from "preact/hooks";
import type { DashboardKey } from "../../src/dashboard/reads.js";
import { balanceAt, byDepletion } from "./balance.js";
import { KeyName, Text } from "./Name.js";
import {
  balanceText,
  Bar,
  Choice,
  fullText,
  LimitHead,
  Pager,
  SearchBox,
  Standing,
  State,
  storedText,
} from "./parts.js";
import { toHash, type RouteOf } from "./route.js";
import { useAnswer, useServerNow } from "./session.js";
import { time } from "./words.js";

const ORDERS = [
  { value: "depleted", label: "Most depleted" },
  { value: "key", label: "By key" },
] as const;

/** So long after the last letter the search begins. */
const TYPING_MS = 250;

export function Keys({ route }: { route: RouteOf<"keys"> }) {
  const { limit, prefix, order, cursors } = route;
  const shownOrder = prefix === "" ? order : "key";
  const [typed, setTyped] = useState(prefix);
  /** What the box has searched for; another prefix comes from the address. */
  const searched = useRef(prefix);
  const reading = useAnswer<"keys">({
    ask: "keys",
    limit,
    order: shownOrder,
    ...(prefix !== "" && { prefix }),
    cursor: cursors.at(-1) ?? null,
  });
  const { answer, isStale } = reading;
  const isUnnamed = answer !== undefined && answer.config === undefined;
  const hashOf = (cursors: string[]) => toHash({ ...route, cursors });

  useEffect(() => {
    if (prefix === searched.current) return;
    searched.current = prefix;
    setTyped(prefix);
  }, [prefix]);
  useEffect(() => {
    if (typed === prefix) return;
    const timer = setTimeout(() => {
      searched.current = typed;
      const hash = toHash({ ...route, prefix: typed, cursors: [] });
      // Letter by letter is one search, and one step back.
      const isGoingOn = prefix !== "" && typed !== "" && cursors.length === 0;
      if (isGoingOn) location.replace(hash);
      else location.hash = hash;
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, toHash(route)]);

  return (
    <>
      <LimitHead
        limit={limit}
        current="keys"
        config={answer?.config}
        whole={answer?.whole}
        isUnnamed={isUnnamed}
      />
      <div class="controls">
        <SearchBox
          id="search"
          label="Find a key"
          placeholder="Type how it begins"
          value={typed}
          onType={setTyped}
        />
        <Choice
          legend="Order"
          name="order"
          options={ORDERS}
          value={shownOrder}
          isDisabled={prefix !== ""}
          onChoose={(order) =>
            location.replace(toHash({ ...route, order, cursors: [] }))
          }
        />
      </div>
      <Standing
        reading={reading}
        first={cursors.length === 0 ? undefined : hashOf([])}
      />
      {answer !== undefined && (
        <div data-stale={isStale}>
          <KeyList
            limit={limit}
            keys={
              shownOrder === "depleted"
                ? mostDepletedFirst(answer.keys, answer.now)
                : answer.keys
            }
          />
          {shownOrder === "depleted" &&
            answer.keys.length > 0 &&
            !isUnnamed && (
              <p class="muted small order">
                Each page is sorted by what its keys hold now. From page to page
                the order is that of a key’s last write, which knows of no
                override since.
              </p>
            )}
          {answer.keys.length === 0 && !isStale && (
            <p class="empty">
              {cursors.length > 0 ? (
                "No more keys are in use."
              ) : prefix === "" ? (
                "No key is in use. A key is listed from its first call until it has been full for an hour."
              ) : (
                <>
                  No key in use begins with “
                  <Text of={prefix} isWhole={false} />
                  ”.
                </>
              )}
            </p>
          )}
          {prefix !== "" && !isUnnamed && (
            <p class="exact">
              <a href={toHash({ view: "key", limit, key: prefix })}>
                Open the key “
                <Text of={prefix} isWhole={false} />”
              </a>{" "}
              <span class="muted">
                also if it is not in use, to see its overrides or to ban it.
              </span>
            </p>
          )}
          <Pager
            cursors={cursors}
            next={answer.next}
            isStale={isStale}
            hashOf={hashOf}
          />
        </div>
      )}
    </>
  );
}

/** Sorted when they were read, so that none moves from under a hand. */
function mostDepletedFirst(keys: DashboardKey[], now: number): DashboardKey[] {
  const known = keys.flatMap(({ value, ...key }) =>
    value === undefined
      ? []
      : [{ ...key, value, balance: balanceAt(value, now) }],
  );
  known.sort((a, b) => byDepletion(a.balance, b.balance));
  return [...known, ...keys.filter(({ value }) => value === undefined)];
}

function KeyList({ limit, keys }: { limit: string; keys: DashboardKey[] }) {
  const now = useServerNow(250);
  if (keys.length === 0) return null;
  return (
    <ul class="keys" aria-label="Keys in use">
      {keys.map(({ key, value, stored }) => {
        const id = key === undefined ? "all" : `key ${key}`;
        if (stored !== undefined) {
          return (
            <li key={id} class="stored">
              <KeyName of={key} />
              <span class="amount">{storedText(stored)}</span>
              <span class="when">used at {time(stored.usedAt, now)}</span>
            </li>
          );
        }
        const name = (
          <a class="key" href={toHash({ view: "key", limit, key })}>
            <KeyName of={key} />
          </a>
        );
        if (value === undefined) {
          return (
            <li key={id} class="uncalled">
              {name}
              <span class="when">longer than any call may name</span>
            </li>
          );
        }
        const balance = balanceAt(value, now);
        return (
          <li key={id}>
            {name}
            <State of={balance} />
            <Bar of={balance} />
            <span class="amount">{balanceText(balance)}</span>
            <span class="when">{fullText(balance)}</span>
          </li>
        );
      })}
    </ul>
  );
}
