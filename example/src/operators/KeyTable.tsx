import { useNow } from "../clock.js";
import { formatAge, formatDuration, formatTokens } from "../format.js";
import { session } from "../session.js";
import type { Action, OperatedKey } from "./operatedKey.js";

type Act = (action: Action, key: string, title: string) => void;
type Props = {
  keys: OperatedKey[] | undefined;
  /** Whether there are no more keys than these. */
  isComplete: boolean;
  onAct: Act;
};

export function KeyTable({ keys, isComplete, onAct }: Props) {
  return (
    <div className="table-place" tabIndex={0} role="region" aria-label="Keys">
      <table>
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
            <th scope="col" className="number">
              Actions
            </th>
          </tr>
        </thead>
        <tbody>
          {keys?.map((operated) => (
            <KeyRow key={operated.key} operated={operated} onAct={onAct} />
          ))}
        </tbody>
      </table>
      {keys === undefined && <p className="empty">Loading</p>}
      {keys?.length === 0 && (
        <p className="empty">
          No key is in use. Let four users send, or send a message yourself.
        </p>
      )}
      {!isComplete && <p className="empty">There are more keys than these.</p>}
    </div>
  );
}

const ACTIONS: { action: Action; label: string }[] = [
  { action: "reset", label: "Reset" },
  { action: "ban", label: "Ban" },
  { action: "raise", label: "Raise" },
  { action: "clear", label: "Clear" },
];

function KeyRow({ operated, onAct }: { operated: OperatedKey; onAct: Act }) {
  const { key, use, state, expiresAt } = operated;
  const now = useNow(1000);
  const title = key === session ? "You" : key;
  return (
    <tr>
      <th scope="row" className="key" title={key}>
        {title}
      </th>
      <td>
        <span className="pill" data-state={state}>
          {state}
        </span>
        {expiresAt !== undefined && (
          <span className="muted small until">
            {" "}
            {formatDuration(Math.max(0, expiresAt - now))}
          </span>
        )}
      </td>
      <td className="number">
        {use === undefined
          ? "not used"
          : `${formatTokens(use.balance)} of ${formatTokens(use.capacity)}`}
      </td>
      <td className="number">
        {use === undefined ? "" : `${formatAge(now - use.usedAt)} ago`}
      </td>
      <td className="actions">
        {ACTIONS.map(({ action, label }) => (
          <button
            key={action}
            type="button"
            className="quiet"
            aria-label={`${label} ${title}`}
            disabled={
              action === "clear" && state !== "banned" && state !== "raised"
            }
            onClick={() => onAct(action, key, title)}
          >
            {label}
          </button>
        ))}
      </td>
    </tr>
  );
}
