import { useEffect, useState } from "preact/hooks";
import type { ShownKey } from "../../src/dashboard/reads.js";
import { balanceAt } from "./balance.js";
import {
  balanceText,
  Bar,
  Choice,
  fullText,
  LimitHead,
  Pager,
  Standing,
  State,
} from "./parts.js";
import { toHash } from "./route.js";
import { useAnswer, useServerNow } from "./session.js";
import { nameOf } from "./words.js";

const ORDERS = [
  { value: "depleted", label: "Most depleted" },
  { value: "key", label: "By key" },
] as const;

/** So long after the last letter the search begins. */
const TYPING_MS = 250;

export function Keys({ limit, prefix }: { limit: string; prefix: string }) {
  const [typed, setTyped] = useState(prefix);
  const [order, setOrder] = useState<"depleted" | "key">("depleted");
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  const reading = useAnswer<"keys">({
    ask: "keys",
    limit,
    order: prefix === "" ? order : "key",
    ...(prefix !== "" && { prefix }),
    cursor: cursors.at(-1)!,
  });
  const { answer, isStale } = reading;

  useEffect(() => {
    if (typed === prefix) return;
    const timer = setTimeout(() => {
      setCursors([null]);
      location.replace(toHash({ view: "keys", limit, prefix: typed }));
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);

  return (
    <>
      <LimitHead limit={limit} current="keys" config={answer?.config} />
      <div class="controls">
        <div class="search">
          <label for="search">Find a key</label>
          <input
            id="search"
            type="search"
            placeholder="Type how it begins"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            maxLength={1024}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </div>
        <Choice
          legend="Order"
          name="order"
          options={ORDERS}
          value={prefix === "" ? order : "key"}
          isDisabled={prefix !== ""}
          onChoose={(order) => {
            setOrder(order);
            setCursors([null]);
          }}
        />
      </div>
      <Standing reading={reading} />
      {answer !== undefined && (
        <div data-stale={isStale}>
          <KeyList limit={limit} keys={answer.keys} />
          {answer.keys.length === 0 && (
            <p class="empty">
              {prefix === ""
                ? cursors.length > 1
                  ? "No more keys are in use."
                  : "No key is in use. A key is listed from its first call until it has been full for an hour."
                : `No key in use begins with “${prefix}”.`}
            </p>
          )}
          {prefix !== "" && (
            <p class="exact">
              <a href={toHash({ view: "key", limit, key: prefix })}>
                Open the key “{prefix}”
              </a>{" "}
              <span class="muted">
                also if it is not in use, to see its overrides or to ban it.
              </span>
            </p>
          )}
          <Pager cursors={cursors} next={answer.next} onTurn={setCursors} />
        </div>
      )}
    </>
  );
}

function KeyList({ limit, keys }: { limit: string; keys: ShownKey[] }) {
  const now = useServerNow(250);
  if (keys.length === 0) return null;
  return (
    <ul class="keys" aria-label="Keys in use">
      {keys.map(({ key, value }) => {
        const balance = balanceAt(value, now);
        return (
          <li key={key ?? "\u0000"}>
            <a class="key" href={toHash({ view: "key", limit, key })}>
              {nameOf(key)}
            </a>
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
