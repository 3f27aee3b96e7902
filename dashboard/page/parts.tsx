import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { LimitConfig } from "../../src/client/index.js";
import type { StoredKey, Whole } from "../../src/dashboard/reads.js";
import { fullness, type KeyBalance } from "./balance.js";
import { LimitName, Text } from "./Name.js";
import { allKeysOf, toHash, type Route } from "./route.js";
import { LimitRule } from "./RuleLine.js";
import type { Reading } from "./session.js";
import { isLong, plain } from "./unseen.js";
import { formatBalance, formatCount, formatDuration } from "./words.js";

/** The title of a view. It gets the focus when the view opens. */
export function Title({ children }: { children: ComponentChildren }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus({ preventScroll: true }), []);
  return (
    <h1 ref={title} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** A title that somebody else chose, folded if it is long. */
export function NameTitle({
  of,
  children,
}: {
  of: string;
  children: (isWhole: boolean) => ComponentChildren;
}) {
  const [isWhole, setIsWhole] = useState(false);
  return (
    <>
      <Title>{children(isWhole)}</Title>
      {isLong(of) && (
        <button
          type="button"
          class="quiet fold"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? "Show less" : "Show all of it"}
        </button>
      )}
    </>
  );
}

/** What a view shows while it has no answer, or when reading fails. */
export function ReadingStatus<T>({
  reading: { answer, failure, reread },
  first,
}: {
  reading: Reading<T>;
  /** The address of the first page, if this is another page. */
  first?: string | undefined;
}) {
  if (failure?.kind === "failed") {
    return (
      <p class="notice error" role="alert">
        <Text of={failure.message} />{" "}
        {failure.isMistake && first !== undefined ? (
          <a href={first}>First page</a>
        ) : (
          <button type="button" class="quiet" onClick={reread}>
            Try again
          </button>
        )}
      </p>
    );
  }
  if (answer !== undefined) return null;
  if (failure !== undefined) {
    return <p class="empty">Nothing of this has been read yet.</p>;
  }
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">Reading…</span>
      <i />
      <i />
      <i />
    </div>
  );
}

const viewsOf = (limit: string): { label: string; route: Route }[] => [
  { label: "Keys", route: allKeysOf(limit) },
  { label: "Denials", route: { view: "denials", limit, span: "hour" } },
  { label: "Overrides", route: { view: "overrides", limit, cursors: [] } },
  { label: "Whole limit", route: { view: "key", limit, key: undefined } },
];

/** The head of all views of one limit. */
export function LimitHead({
  limit,
  current,
  config,
  whole,
  isUnnamed = false,
}: {
  limit: string;
  current: Route["view"];
  config: LimitConfig | undefined;
  /** The whole limit, if overrides of it may replace the config. */
  whole: Whole | undefined;
  /** Whether the code does not name the limit, so that there is no config. */
  isUnnamed?: boolean;
}) {
  if (isUnnamed) {
    return (
      <>
        <LimitTitle limit={limit} />
        <p class="notice">
          The code does not name this limit: its config comes with each call. So
          it is not known here what a key has got back since its balance was
          stored, or what a call would be granted now. Its keys cannot be asked,
          changed or reset.
        </p>
      </>
    );
  }
  return (
    <>
      <LimitTitle limit={limit} />
      {config === undefined ? (
        <p class="meaning">{"\u00a0"}</p>
      ) : (
        <LimitRule config={config} whole={whole} />
      )}
      <nav class="tabs" aria-label={`Views of ${plain(limit)}`}>
        {viewsOf(limit).map(({ label, route }) => (
          <a
            key={label}
            href={toHash(route)}
            aria-current={route.view === current ? "page" : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
    </>
  );
}

function LimitTitle({ limit }: { limit: string }) {
  return (
    <>
      <nav class="crumbs" aria-label="Where you are">
        <a href="#/">Limits</a>
      </nav>
      <NameTitle of={limit}>
        {(isWhole) => <LimitName of={limit} isWhole={isWhole} />}
      </NameTitle>
    </>
  );
}

/** A bar that shows how full a key is. */
export function BalanceBar({ of }: { of: KeyBalance }) {
  return (
    <span class="bar" data-state={stateOf(of).state} aria-hidden="true">
      <i style={{ width: `${fullness(of) * 100}%` }} />
    </span>
  );
}

/** `3.2 of 10`. */
export function balanceText({ value, capacity, effect }: KeyBalance): string {
  if (effect === "unlimited") return "unlimited";
  return `${formatBalance(value)} of ${formatCount(capacity)}`;
}

/** `7 as stored`, or `2 of 5` of a concurrency limit, which stores its config. */
export function storedText({ balance: value, capacity }: StoredKey): string {
  return capacity === undefined
    ? `${formatBalance(value)} as stored`
    : `${formatBalance(value)} of ${formatCount(capacity)}`;
}

export function fullText({ fullIn, effect }: KeyBalance): string {
  if (effect === "unlimited") return "takes nothing";
  if (effect === "banned") return "denied whatever it holds";
  return fullIn === undefined ? "full" : `full in ${formatDuration(fullIn)}`;
}

export function stateOf({ effect, grantedIn, isEnforced }: KeyBalance): {
  state: string;
  label: string;
} {
  if (effect === "banned") return { state: "banned", label: "Banned" };
  if (effect === "unlimited") return { state: "lifted", label: "Unlimited" };
  if (grantedIn === undefined) return { state: "open", label: "Within limit" };
  return isEnforced
    ? { state: "limited", label: "Limited" }
    : { state: "dry", label: "Would be limited" };
}

export function StateLabel({ of }: { of: KeyBalance }) {
  const { state, label } = stateOf(of);
  return (
    <span class="state" data-state={state}>
      {label}
    </span>
  );
}

/** A choice of a few, as radio buttons. */
export function Choice<T extends string>({
  legend,
  name,
  options,
  value,
  isDisabled = false,
  onChoose,
}: {
  legend: string;
  name: string;
  options: readonly { value: T; label: string }[];
  value: T;
  isDisabled?: boolean;
  onChoose: (value: T) => void;
}) {
  return (
    <fieldset class="choice" disabled={isDisabled}>
      <legend class="visually-hidden">{legend}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** A box for a key, or for the beginning of one. */
export function SearchBox({
  id,
  label,
  placeholder,
  value,
  onType,
}: {
  id: string;
  label: string;
  placeholder: string;
  value: string;
  onType: (typed: string) => void;
}) {
  return (
    <div class="search">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        placeholder={placeholder}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={1024}
        value={value}
        onInput={(event) => onType(event.currentTarget.value)}
      />
    </div>
  );
}

/** Buttons to turn the pages of a list. */
export function Pager({
  cursors,
  next,
  isStale,
  hashOf,
}: {
  /** The cursors of the pages after the first, up to the one shown. */
  cursors: string[];
  next: string | null | undefined;
  /** Whether `next` still belongs to an earlier page. */
  isStale: boolean;
  hashOf: (cursors: string[]) => string;
}) {
  const isFirst = cursors.length === 0;
  const isLast = typeof next !== "string";
  if (isFirst && isLast) return null;
  const turnTo = (pages: string[]) => {
    location.hash = hashOf(pages);
  };
  return (
    <nav class="pager" aria-label="Pages">
      <button
        type="button"
        aria-disabled={isFirst}
        onClick={() => !isFirst && turnTo(cursors.slice(0, -1))}
      >
        Previous
      </button>
      <span>Page {cursors.length + 1}</span>
      <button
        type="button"
        aria-disabled={isLast || isStale}
        onClick={() => !isLast && !isStale && turnTo([...cursors, next])}
      >
        Next
      </button>
    </nav>
  );
}
