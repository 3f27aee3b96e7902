import {
  Fragment,
  type ComponentChildren,
  type TargetedSubmitEvent,
} from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LimitConfig, RateLimitOverride } from "../../src/client/index.js";
import type { Answer } from "../../src/dashboard/answer.js";
import type { Action as AnyAction } from "../../src/dashboard/actions.js";
import type { Asked } from "../../src/dashboard/asked.js";
import { DAY, HOUR, MINUTE, WEEK } from "../../src/core/periods.js";
import { BANS, BANS_FORGOTTEN_AFTER } from "../../src/dashboard/bans.js";
import { KeyName, LimitName, Summary, Text } from "./Name.js";
import { askServer, serverNow, type Failure } from "./server.js";
import { withChange, balancesAround, type Change } from "./rule.js";
import { failureOf, Session, useServerNow } from "./session.js";
import {
  formatBalance,
  formatCount,
  formatPeriod,
  describeRule,
  formatTime,
} from "./words.js";

/** An action on a key or a limit. Leases have buttons of their own. */
type Action = Exclude<AnyAction, "release">;

type Subject = {
  limit: string;
  name: string | undefined;
  answer: Answer<"key">;
};

type Fields = {
  forMs: string;
  until: string;
  rate: string;
  capacity: string;
  isCredited: boolean;
  areBansForgotten: boolean;
  note: string;
};

const LABELS: Record<Action, string> = {
  reset: "Reset",
  resetAll: "Reset all keys",
  ban: "Ban",
  penalize: "Ban, longer each time",
  lift: "Make unlimited",
  change: "Change rate or capacity",
  clear: "Clear overrides",
  forget: "Forget the key",
};

/** Actions without a note and a time. */
const PLAIN: readonly Action[] = ["reset", "resetAll", "clear", "forget"];

/** Actions that set an override. */
const SETTING: readonly Action[] = ["ban", "lift", "change"];

const DURATIONS = [
  { label: "10 minutes", ms: 10 * MINUTE },
  { label: "1 hour", ms: HOUR },
  { label: "1 day", ms: DAY },
  { label: "1 week", ms: WEEK },
];

/** The actions on one key, or on the whole limit. */
export function Actions({
  onDone,
  ...subject
}: Subject & { onDone: () => void }) {
  const [open, setOpen] = useState<Action>();
  const [said, setSaid] = useState<ComponentChildren>("");
  const buttons = useRef<HTMLDivElement>(null);

  const close = (action: Action) => {
    setOpen(undefined);
    buttons.current
      ?.querySelector<HTMLElement>(`[data-action="${action}"]`)
      ?.focus();
  };

  return (
    <section>
      <h2>Actions</h2>
      <div class="actions" ref={buttons}>
        {actionsFor(subject).map((action) => (
          <button
            key={action}
            type="button"
            data-action={action}
            aria-expanded={open === action}
            onClick={() => {
              setSaid("");
              setOpen(open === action ? undefined : action);
            }}
          >
            {LABELS[action]}
          </button>
        ))}
      </div>
      {open !== undefined && (
        <ActionForm
          key={open}
          action={open}
          subject={subject}
          onCancel={() => close(open)}
          onDone={(outcome) => {
            close(open);
            setSaid(outcome);
            onDone();
          }}
        />
      )}
      <p class="said" role="status">
        {said}
      </p>
    </section>
  );
}

function actionsFor({ name, answer }: Subject): Action[] {
  const { config, overrides } = answer;
  const reset: Action[] =
    name === undefined ? ["reset", "resetAll"] : ["reset"];
  const forget: Action[] = name === undefined ? [] : ["forget"];
  if (config.overrides !== true) return [...reset, ...forget];
  const bans: Action[] = name === undefined ? ["ban"] : ["ban", "penalize"];
  const clear: Action[] = overrides.length === 0 ? [] : ["clear"];
  return [...reset, ...bans, "lift", "change", ...clear, ...forget];
}

function ActionForm({
  action,
  subject,
  onCancel,
  onDone,
}: {
  action: Action;
  subject: Subject;
  onCancel: () => void;
  onDone: (said: ComponentChildren) => void;
}) {
  const { token, onRefused } = useContext(Session);
  const [fields, setFields] = useState<Fields>({
    forMs: String(action === "change" ? DAY : 10 * MINUTE),
    until: "",
    rate: "",
    capacity: "",
    isCredited: false,
    areBansForgotten: false,
    note: "",
  });
  const [failure, setFailure] = useState<Failure>();
  const [isAsking, setIsAsking] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  /** What was sent, which may have been carried out although no answer came. */
  const sent = useRef<{ fields: Fields; asked: Asked<Action> }>(null);
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>("select, input, button")?.focus();
  }, []);

  const now = serverNow();
  const until = untilOf(fields, now);
  const change = changeOf(fields);
  const loss = lossOf(action, subject, until, now);
  const isReady = isComplete(action, fields, until, now);
  const set =
    (field: Exclude<keyof Fields, "isCredited" | "areBansForgotten">) =>
    (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setFields((before) => ({ ...before, [field]: value }));
    };

  const run = async () => {
    setIsConfirming(false);
    setIsAsking(true);
    setFailure(undefined);
    try {
      // A retry is the same action, with the same id.
      if (sent.current?.fields !== fields) {
        const asked = askedFor(action, subject, fields, serverNow());
        sent.current = { fields, asked };
      }
      const { asked } = sent.current;
      const answer = await askServer(token, asked);
      onDone(sayDone(asked, subject, answer));
    } catch (error) {
      const why = failureOf(error);
      if (why.kind === "refused") return onRefused(why.status);
      if (why.kind === "failed" && why.isMistake) sent.current = null;
      setFailure(why);
      setIsAsking(false);
    }
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isAsking || !isReady) return;
    if (loss === undefined) void run();
    else setIsConfirming(true);
  };

  return (
    <form
      class="action"
      ref={form}
      onSubmit={submit}
      onKeyDown={(event) => event.key === "Escape" && onCancel()}
    >
      <div class="fields">
        {action === "change" && (
          <>
            {subject.answer.config.kind !== "concurrency" && (
              <Field
                id="rate"
                label="Rate"
                hint={`tokens in each period; empty leaves the ${formatCount(subject.answer.config.rate)} of the code`}
                value={fields.rate}
                onInput={set("rate")}
              />
            )}
            <Field
              id="capacity"
              label="Capacity"
              hint={`the most at once; ${hintOf(subject.answer.config)}`}
              value={fields.capacity}
              onInput={set("capacity")}
            />
          </>
        )}
        {SETTING.includes(action) && (
          <>
            <div class="field">
              <label for="for">For</label>
              <select id="for" value={fields.forMs} onChange={set("forMs")}>
                {DURATIONS.map(({ label, ms }) => (
                  <option key={ms} value={String(ms)}>
                    {label}
                  </option>
                ))}
                <option value="until">until a time</option>
                {action === "change" && (
                  <option value="ever">until it is cleared</option>
                )}
              </select>
            </div>
            {fields.forMs === "until" && (
              <div class="field">
                <label for="until">Until</label>
                <input
                  id="until"
                  type="datetime-local"
                  required
                  value={fields.until}
                  onInput={set("until")}
                />
              </div>
            )}
          </>
        )}
        {!PLAIN.includes(action) && (
          <div class="field wide">
            <label for="note">Note</label>
            <input
              id="note"
              maxLength={300}
              autocomplete="off"
              placeholder="Why, for whoever looks next"
              value={fields.note}
              onInput={set("note")}
            />
          </div>
        )}
      </div>
      <p class="sentence">
        {sayAction(action, subject, fields, until, now)}
        {sayAbove(action, subject, until, now)}
      </p>
      {action === "change" && change !== undefined && (
        <Outcome
          subject={subject}
          change={change}
          isCredited={fields.isCredited}
          onCredit={(isCredited) =>
            setFields((before) => ({ ...before, isCredited }))
          }
        />
      )}
      {action === "forget" && (
        <label class="check">
          <input
            type="checkbox"
            checked={fields.areBansForgotten}
            onChange={({ currentTarget: { checked } }) =>
              setFields((before) => ({ ...before, areBansForgotten: checked }))
            }
          />
          <span>Also forget its bans, so that it is banned no more</span>
        </label>
      )}
      {loss !== undefined && <p class="loss">{loss}</p>}
      <p class="error" role="alert">
        {failure !== undefined && <Text of={sayFailure(failure)} />}
      </p>
      <div class="buttons">
        <button
          class={loss === undefined ? "primary" : "primary danger"}
          type="submit"
          aria-disabled={isAsking || !isReady}
        >
          {isAsking ? "Working…" : LABELS[action]}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
      {isConfirming && (
        <Confirm
          question={
            <>
              {LABELS[action]}: <SubjectName of={subject} />?
            </>
          }
          loss={loss}
          yes={LABELS[action]}
          onYes={() => void run()}
          onNo={() => setIsConfirming(false)}
        />
      )}
    </form>
  );
}

function Field({
  id,
  label,
  hint,
  value,
  onInput,
}: {
  id: string;
  label: string;
  hint: string;
  value: string;
  onInput: (event: { currentTarget: { value: string } }) => void;
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        min={0}
        step="any"
        inputMode="decimal"
        value={value}
        onInput={onInput}
        aria-describedby={`${id}-hint`}
      />
      <span class="muted small" id={`${id}-hint`}>
        {hint}
      </span>
    </div>
  );
}

/** What an empty field for the capacity means. */
function hintOf({ capacity }: LimitConfig): string {
  return capacity === undefined
    ? "empty makes it the rate, since the code names none"
    : `empty leaves the ${formatCount(capacity)} of the code`;
}

/** Shows what a change would make of the rule and of the balance. */
function Outcome({
  subject: { name, answer },
  change,
  isCredited,
  onCredit,
}: {
  subject: Subject;
  change: Change;
  isCredited: boolean;
  onCredit: (isCredited: boolean) => void;
}) {
  const now = useServerNow(1000);
  const { config, value } = answer;
  const next = withChange(config, change);
  const outcome = balancesAround(config, value, change, now);
  const { before, after, capacityBefore, capacity } = outcome;
  const missing = creditOf(outcome);
  const isNoneNamed = config.capacity === undefined;
  return (
    <div class="outcome">
      <p>
        <b>Then: {describeRule(next)}</b>
        {name === undefined ? ", for each key." : ", for this key."}
        {isNoneNamed && change.capacity === undefined && (
          <>
            {" "}
            The code names no <code>capacity</code>, so the capacity changes,
            too: from {formatCount(capacityBefore)} to {formatCount(capacity)}.
          </>
        )}
      </p>
      {name === undefined ? (
        <p>Keys in use are given no tokens by this.</p>
      ) : (
        <p>
          It holds {formatBalance(before)} of {formatCount(capacityBefore)} now,
          and{" "}
          {formatBalance(
            isCredited ? Math.min(capacity, after + missing) : after,
          )}{" "}
          of {formatCount(capacity)} then.
        </p>
      )}
      {name !== undefined && config.kind !== "concurrency" && missing > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={isCredited}
            onChange={(event) => onCredit(event.currentTarget.checked)}
          />
          <span>
            Also give it the difference of{" "}
            {formatCount(capacity - capacityBefore)} tokens, since a change
            gives none to a key in use
          </span>
        </label>
      )}
    </div>
  );
}

/** The tokens that the server credits with a change of the capacity: 0 unless the key is in use. */
function creditOf({
  before,
  after,
  capacityBefore,
  capacity,
}: ReturnType<typeof balancesAround>): number {
  const grown = capacity - capacityBefore;
  return Math.max(0, Math.min(grown, grown + before - after));
}

/** Asks before an action that cannot be undone. */
export function Confirm({
  question,
  loss,
  yes,
  onYes,
  onNo,
}: {
  question: ComponentChildren;
  loss: ComponentChildren;
  yes: string;
  onYes: () => void;
  onNo: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    keep.current?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="question"
      aria-describedby="loss"
      onClose={onNo}
      // Escape would also close the form behind it.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <h3 id="question">{question}</h3>
      <p id="loss">{loss}</p>
      <div class="buttons">
        <button type="button" class="primary danger" onClick={onYes}>
          {yes}
        </button>
        <button
          type="button"
          ref={keep}
          onClick={() => dialog.current?.close()}
        >
          Keep it as it is
        </button>
      </div>
    </dialog>
  );
}

/** Until when, in ms; undefined for until it is cleared, `NaN` while no time has been chosen. */
function untilOf({ forMs, until }: Fields, now: number): number | undefined {
  if (forMs === "ever") return undefined;
  return forMs === "until" ? new Date(until).getTime() : now + Number(forMs);
}

function isComplete(
  action: Action,
  { rate, capacity }: Fields,
  until: number | undefined,
  now: number,
): boolean {
  if (action === "penalize" || PLAIN.includes(action)) return true;
  if (until !== undefined && !(until > now)) return false;
  return action !== "change" || rate !== "" || capacity !== "";
}

/** The change that the fields hold; undefined while both are empty. */
function changeOf({ rate, capacity }: Fields): Change | undefined {
  if (rate === "" && capacity === "") return undefined;
  return {
    ...(rate !== "" && { rate: Number(rate) }),
    ...(capacity !== "" && { capacity: Number(capacity) }),
  };
}

function askedFor(
  action: Action,
  { limit, name, answer }: Subject,
  fields: Fields,
  now: number,
): Asked<Action> {
  const until = untilOf(fields, now);
  const account = { limit, ...(name !== undefined && { key: name }) };
  const note = fields.note.trim() === "" ? {} : { note: fields.note.trim() };
  const once = newId();
  switch (action) {
    case "reset":
    case "clear":
      return { ask: action, ...account };
    case "resetAll":
      return { ask: action, limit };
    case "penalize":
      return { ask: action, limit, key: name!, ...note, once };
    case "forget":
      return { ask: action, key: name!, bans: fields.areBansForgotten };
    case "ban":
    case "lift":
      return { ask: action, ...account, until: until!, ...note, once };
    case "change": {
      const { config, value } = answer;
      const change = changeOf(fields) ?? {};
      const missing = creditOf(balancesAround(config, value, change, now));
      return {
        ask: action,
        ...account,
        ...change,
        ...(until !== undefined && { until }),
        ...note,
        once,
        ...(fields.isCredited && missing > 0 && { credit: true }),
      };
    }
  }
}

/** What those who are banned see of it. */
function sayBanned({ name, answer }: Subject, end: string): string {
  if (answer.config.enforce === false) {
    return "This limit is a dry run, so nobody sees anything of it.";
  }
  const whose = name === undefined ? "Every request" : "Each of its requests";
  return `${whose} is now denied, and told to wait until ${end}: your app shows it as it shows any denial.`;
}

/** Without `crypto.randomUUID`, which pages without TLS do not have. */
const newId = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

function SubjectName({ of: { limit, name } }: { of: Subject }) {
  if (name !== undefined) return <KeyName of={name} />;
  return (
    <>
      all of <LimitName of={limit} />
    </>
  );
}

export function sayFailure(failure: Failure): string {
  if (failure.kind !== "failed") {
    return "The server cannot be reached. Nothing is known to have changed.";
  }
  return failure.isMistake
    ? failure.message
    : `${failure.message} Try again: nothing is known to have changed.`;
}

/** `for 10 minutes the first time, then for an hour, then for a day`. */
const BANS_IN_WORDS = BANS.map((ban, i) =>
  i === 0
    ? `for ${formatPeriod(ban)} the first time`
    : `then for ${formatPeriod(ban)}`,
).join(", ");

/** Says in a sentence what the action will do. */
function sayAction(
  action: Action,
  subject: Subject,
  { rate, capacity }: Fields,
  until: number | undefined,
  now: number,
): ComponentChildren {
  const { name, answer } = subject;
  const limit = <LimitName of={subject.limit} />;
  const key = <KeyName of={name} />;
  const who = name === undefined ? "whoever asks" : <>of {key}</>;
  const end =
    until === undefined
      ? "until it is cleared"
      : until > now
        ? `until ${formatTime(until, now)}`
        : "until the time that you choose";
  switch (action) {
    case "reset":
    case "resetAll": {
      const isAll = action === "resetAll";
      const one = name === undefined ? "calls without a key" : key;
      const whose = isAll ? "all keys" : one;
      if (answer.config.kind === "concurrency") {
        return (
          <>
            Ends all leases of {whose}: their places are free at once, though
            what runs goes on.
          </>
        );
      }
      return (
        <>
          Makes {limit} full again for {whose}; overrides stay.
        </>
      );
    }
    case "ban":
      return (
        <>
          Denies every request {who} on {limit}, {end}.
        </>
      );
    case "penalize":
      return (
        <>
          Denies every request {who} on {limit}: {BANS_IN_WORDS} each time.
          After {formatPeriod(BANS_FORGOTTEN_AFTER)} without a ban it begins
          anew.
        </>
      );
    case "lift":
      return (
        <>
          Grants every request {who} on {limit} and takes nothing from the
          balance, {end}.
        </>
      );
    case "change": {
      const parts = [
        rate === "" ? undefined : `a rate of ${formatCount(Number(rate))}`,
        capacity === ""
          ? undefined
          : `a capacity of ${formatCount(Number(capacity))}`,
      ].filter((part) => part !== undefined);
      const what =
        parts.length === 0 ? "another rate or capacity" : parts.join(" and ");
      const whom = name === undefined ? <>every key of {limit}</> : key;
      return (
        <>
          Gives {whom} {what}, {end}.
        </>
      );
    }
    case "forget":
      return (
        <>
          Deletes all that is stored of {key}, in every limit: balances, holds,
          leases, overrides with their notes, and its name among the denied. The
          sums of each limit stay. What it uses from now on is stored anew.
        </>
      );
    case "clear": {
      const whose =
        name === undefined ? <>of the whole limit {limit}</> : <>of {key}</>;
      return (
        <>
          Removes the overrides {whose}, bans and what is still to begin
          included.
        </>
      );
    }
  }
}

function LimitNames({ of }: { of: string[] }) {
  return (
    <>
      {of.map((name, i) => (
        <Fragment key={name}>
          {i > 0 && ", "}
          <LimitName of={name} />
        </Fragment>
      ))}
    </>
  );
}

/** Says what is lost for good; undefined if the action can be undone. */
function lossOf(
  action: Action,
  { answer }: Subject,
  until: number | undefined,
  now: number,
): ComponentChildren {
  if (action === "reset" || action === "resetAll") {
    return "This cannot be undone: what was used is forgotten.";
  }
  if (action === "forget") {
    return "This cannot be undone. Work whose lease is deleted goes on.";
  }
  if (action === "penalize") return undefined;
  const { overrides } = answer;
  // An override replaces the one of its sort: with an end, or without one.
  const lost = overrides.filter(
    ({ bans, expiresAt }) =>
      action === "clear" ||
      (bans === undefined &&
        (expiresAt === undefined) === (until === undefined)),
  );
  if (lost.length === 0) return undefined;
  return (
    <>
      This cannot be undone. Lost: <Summaries of={lost} now={now} />.
    </>
  );
}

/** Says what lies over the override that an action sets, if anything does. */
function sayAbove(
  action: Action,
  { answer }: Subject,
  until: number | undefined,
  now: number,
): ComponentChildren {
  if (!SETTING.includes(action)) return undefined;
  const above = answer.overrides.filter(
    ({ bans, startsAt = now, expiresAt }) =>
      startsAt <= now &&
      (bans !== undefined || (until === undefined && expiresAt !== undefined)),
  );
  if (above.length === 0) return undefined;
  return (
    <>
      {" "}
      What lies over it applies first: <Summaries of={above} now={now} />.
    </>
  );
}

function Summaries({ of, now }: { of: RateLimitOverride[]; now: number }) {
  return (
    <>
      {of.map((override, i) => (
        <Fragment key={i}>
          {i > 0 && "; "}
          <Summary of={override} now={now} />
        </Fragment>
      ))}
    </>
  );
}

function sayDone(
  asked: Asked<Action>,
  subject: Subject,
  { now, until, credited, isReset, isForgotten, bannedIn = [] }: Answer<Action>,
): ComponentChildren {
  const end =
    until === undefined
      ? "until it is cleared"
      : `until ${formatTime(until, now)}`;
  const what = {
    reset: "is full again",
    resetAll: isReset
      ? "is full again for all keys"
      : "is being reset for all keys, by a job",
    ban: `is banned ${end}`,
    penalize: `is banned ${end}`,
    lift: `is unlimited ${end}`,
    change: `has its own rate or capacity ${end}`,
    clear: "has no overrides",
    forget: isForgotten ? "is forgotten" : "is being forgotten, by a job",
  };
  const isBan =
    (asked.ask === "ban" || asked.ask === "penalize") && until !== undefined;
  return (
    <>
      Done: <SubjectName of={subject} /> {what[asked.ask]}
      {/* What is carried out already credits nothing. */}
      {credited !== undefined &&
        credited > 0 &&
        `, and was given ${formatCount(credited)} tokens`}
      {bannedIn.length > 0 && (
        <>
          ; its bans stay in <LimitNames of={bannedIn} />
        </>
      )}
      .{isBan && ` ${sayBanned(subject, formatTime(until, now))}`}
      {sayAbove(asked.ask, subject, until, now)}
    </>
  );
}
