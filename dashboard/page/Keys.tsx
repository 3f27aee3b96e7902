import { useEffect, useRef, useState } from "preact/hooks";
import type { DashboardKey } from "../../src/dashboard/reads.js";
import { balanceAt, byDepletion } from "./balance.js";
import { KeyName, Text } from "./Name.js";
import {
  balanceText,
  BalanceBar,
  Choice,
  fullText,
  LimitHead,
  Pager,
  SearchBox,
  ReadingStatus,
  StateLabel,
  storedText,
} from "./parts.js";
import { toHash, type RouteOf } from "./route.js";
import { useAnswer, useServerNow } from "./session.js";
import { formatTime } from "./words.js";

const ORDERS = [
  { value: "depleted", label: "Most depleted" },
  { value: "key", label: "By key" },
] as const;

/** How long after the last letter the search begins. */
const TYPING_MS = 250;

export function Keys({ route }: { route: RouteOf<"keys"> }) {
  const { limit, prefix, order, cursors } = route;
  const shownOrder = prefix === "" ? order : "key";
  const [typed, setTyped] = useState(prefix);
  /** The last search of the box. Any other `prefix` comes from the address. */
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
  const hashOf = (pages: string[]) => toHash({ ...route, cursors: pages });

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
      // Typing on is the same search, and one step back.
      const isSameSearch =
        prefix !== "" && typed !== "" && cursors.length === 0;
      if (isSameSearch) location.replace(hash);
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
          onChoose={(chosen) =>
            location.replace(toHash({ ...route, order: chosen, cursors: [] }))
          }
        />
      </div>
      <ReadingStatus
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
                Each page is sorted by what its keys hold now. The order of the
                pages dates from each key’s last write, so it does not reflect
                overrides set since.
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

/** Sorts by what the keys held when they were read, so that rows do not move meanwhile. */
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
              <span class="when">used at {formatTime(stored.usedAt, now)}</span>
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
            <StateLabel of={balance} />
            <BalanceBar of={balance} />
            <span class="amount">{balanceText(balance)}</span>
            <span class="when">{fullText(balance)}</span>
          </li>
        );
      })}
    </ul>
  );
}
