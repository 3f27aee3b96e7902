import { useIsBefore, useNow } from "../clock.js";
import {
  AGO_STEP_MS,
  formatAgo,
  formatDuration,
  formatTokens,
} from "../format.js";
import { timeWhenFull } from "../timeWhenFull.js";
import { balanceAt, type Action, type OperatedKey } from "./operatedKey.js";

type Act = (action: Action, operated: OperatedKey) => void;
type Props = {
  keys: OperatedKey[] | undefined;
  /** Whether there are no more keys than these. */
  isComplete: boolean;
  onAct: Act;
};

/** On a narrow screen each row is a block of its own, so that nothing is out of reach. */
export function KeyTable({ keys, isComplete, onAct }: Props) {
  if (keys === undefined) return <p className="muted">Loading</p>;
  if (keys.length === 0) {
    return (
      <p className="empty">
        No key is in use. Let four users send, or send a message yourself.
      </p>
    );
  }
  return (
    <>
      <table className="keys">
        <caption className="visually-hidden">Keys of the message limit</caption>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">State</th>
            <th scope="col" className="number">
              Balance
            </th>
            <th scope="col" className="number">
              Last used
            </th>
            <th scope="col" className="actions">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((operated) => (
            <KeyRow key={operated.key} operated={operated} onAct={onAct} />
          ))}
        </tbody>
      </table>
      {!isComplete && <p className="muted">There are more keys than these.</p>}
    </>
  );
}

const ACTIONS: { action: Action; label: string }[] = [
  { action: "reset", label: "Reset" },
  { action: "ban", label: "Ban" },
  { action: "raise", label: "Raise" },
];

function KeyRow({ operated, onAct }: { operated: OperatedKey; onAct: Act }) {
  const { title, use, overrides } = operated;
  const actions =
    overrides.length === 0
      ? ACTIONS
      : [...ACTIONS, { action: "clear" as const, label: "Clear" }];
  return (
    <tr>
      <th scope="row">{title}</th>
      <td>
        <State use={use} overrides={overrides} />
      </td>
      <td className="number">
        {use === undefined ? (
          <span className="muted">not used</span>
        ) : (
          <Balance use={use} />
        )}
      </td>
      <td className="number">
        {use !== undefined && <Used at={use.usedAt} />}
      </td>
      <td className="actions">
        {actions.map(({ action, label }) => (
          <button
            key={action}
            type="button"
            className="quiet"
            aria-label={`${label} ${title}`}
            onClick={() => onAct(action, operated)}
          >
            {label}
          </button>
        ))}
      </td>
    </tr>
  );
}

type Use = NonNullable<OperatedKey["use"]>;

function State({ use, overrides }: Pick<OperatedKey, "use" | "overrides">) {
  const [first, ...others] = overrides;
  // The list of overrides may be from before this one has ended.
  const isInForce = useIsBefore(first?.expiresAt ?? Infinity);
  if (first === undefined) {
    return use === undefined ? <Pill state="ok" /> : <UseState use={use} />;
  }
  if (!isInForce) return <State use={use} overrides={others} />;
  const { kind, expiresAt, ban = 1 } = first;
  return (
    <>
      <Pill state={kind} />
      {expiresAt !== undefined && <Left until={expiresAt} />}
      {ban > 1 && <span className="muted small"> · ban {ban}</span>}
    </>
  );
}

function Pill({ state }: { state: string }) {
  return (
    <span className="pill" data-state={state}>
      {state}
    </span>
  );
}

function UseState({ use }: { use: Use }) {
  return <Pill state={useBalance(use).state} />;
}

function Balance({ use }: { use: Use }) {
  const { balance, capacity } = useBalance(use);
  return `${formatTokens(balance)} of ${formatTokens(capacity)}`;
}

function useBalance(use: Use) {
  return balanceAt(use, useNow(500, timeWhenFull(use)));
}

function Left({ until }: { until: number }) {
  const left = until - useNow(1000, until);
  return (
    <span className="muted small until"> {formatDuration(left)} left</span>
  );
}

function Used({ at }: { at: number }) {
  return formatAgo(useNow(AGO_STEP_MS) - at);
}
