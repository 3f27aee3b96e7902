import { useId } from "react";
import { duration } from "../../../dashboard/page/words.js";
import { plural } from "../words.js";
import type { Draft, Settings } from "./settings.js";

type Props = {
  draft: Draft;
  /** Those in force. */
  settings: Settings;
  error: string | undefined;
  onChange: (draft: Draft) => void;
};

const FIELDS = [
  { field: "rate", label: "Rate", hint: "tokens" },
  { field: "seconds", label: "Period", hint: "seconds" },
  { field: "capacity", label: "Capacity", hint: "the rate" },
] as const;

/** The numbers of both limits, folded away. They act as they are typed. */
export function SettingsForm({ draft, settings, error, onChange }: Props) {
  const errorId = useId();
  return (
    <details className="settings">
      <summary>
        Settings{" "}
        <span className="muted">
          {plural(settings.rate, "token")} per {duration(settings.period)}
        </span>
      </summary>
      <form
        aria-label="Settings of both limits"
        onSubmit={(event) => event.preventDefault()}
      >
        {FIELDS.map(({ field, label, hint }) => (
          <label key={field}>
            {label}
            <input
              inputMode="decimal"
              autoComplete="off"
              placeholder={hint}
              value={draft[field]}
              aria-invalid={error !== undefined}
              aria-describedby={errorId}
              onChange={(event) =>
                onChange({ ...draft, [field]: event.target.value })
              }
            />
          </label>
        ))}
        <p id={errorId} role="status" className="small">
          {error ?? (
            <span className="muted">
              The period is in seconds. Without a capacity it is the rate.
            </span>
          )}
        </p>
      </form>
    </details>
  );
}
