import { useId } from "react";
import { formatDuration } from "../../../dashboard/page/words.js";
import { plural } from "../words.js";
import type { Draft, Problem, Settings } from "./settings.js";

type Props = {
  draft: Draft;
  /** Those in force. */
  settings: Settings;
  problem: Problem | undefined;
  onChange: (draft: Draft) => void;
};

const FIELDS = [
  { field: "rate", label: "Rate", hint: "tokens" },
  { field: "period", label: "Period", hint: "seconds" },
  { field: "capacity", label: "Capacity", hint: "the rate" },
] as const;

/** The numbers of both limits, folded away. Each change takes effect as it is typed. */
export function SettingsForm({ draft, settings, problem, onChange }: Props) {
  const statusId = useId();
  return (
    <details className="settings">
      <summary>
        Settings{" "}
        <span className="muted">
          {plural(settings.rate, "token")} per {formatDuration(settings.period)}
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
              aria-invalid={field === problem?.field}
              aria-describedby={statusId}
              onChange={(event) =>
                onChange({ ...draft, [field]: event.target.value })
              }
            />
          </label>
        ))}
        <p id={statusId} role="status" className="small">
          {problem?.message ?? (
            <span className="muted">
              The period is in seconds. Without a capacity it is the rate.
            </span>
          )}
        </p>
      </form>
    </details>
  );
}
