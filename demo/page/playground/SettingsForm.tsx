import { useId, useState } from "react";
import { formatDuration, plural } from "../format.js";
import type { Draft, Errors, Field, Settings } from "./settings.js";

type Props = {
  draft: Draft;
  /** Those in force. */
  settings: Settings;
  errors: Errors;
  onChange: (draft: Draft) => void;
};

type FieldText = { label: string; hint: string; placeholder?: string };

const TEXTS: Record<Field, FieldText> = {
  rate: { label: "Rate", hint: "tokens" },
  periodSeconds: { label: "Period", hint: "seconds" },
  capacity: {
    label: "Capacity",
    hint: "largest burst",
    placeholder: "the rate",
  },
  maxReserved: {
    label: "Max reserved",
    hint: "deepest debt",
    placeholder: "unlimited",
  },
  shards: { label: "Shards", hint: "rows", placeholder: "1" },
  startSeconds: {
    label: "Window start",
    hint: "seconds",
    placeholder: "by key",
  },
};

/** Every field of a config. It acts as it is typed. */
export function SettingsForm({ draft, settings, errors, onChange }: Props) {
  // Where there is no room beside the limits, they are folded away above them.
  const [isOpen, setOpen] = useState(false);
  const fields = useId();
  return (
    <form
      className="card settings"
      aria-label="Settings of both limits"
      onSubmit={(event) => event.preventDefault()}
    >
      <h3 className="settings-title">Settings</h3>
      <button
        type="button"
        className="settings-toggle"
        aria-expanded={isOpen}
        aria-controls={fields}
        onClick={() => setOpen(!isOpen)}
      >
        <span>Settings</span>
        <span className="muted">
          {plural(settings.rate, "token")} per {formatDuration(settings.period)}
        </span>
      </button>
      <div id={fields} className="settings-body" data-open={isOpen}>
        <div className="fields">
          {(Object.keys(TEXTS) as Field[]).map((field) => (
            <NumberField
              key={field}
              {...TEXTS[field]}
              value={draft[field]}
              error={errors[field]}
              onChange={(value) => onChange({ ...draft, [field]: value })}
            />
          ))}
        </div>
        <label className="check">
          <input
            type="checkbox"
            checked={draft.isDryRun}
            onChange={(event) =>
              onChange({ ...draft, isDryRun: event.target.checked })
            }
          />
          Dry run: report, never deny
        </label>
      </div>
    </form>
  );
}

function NumberField({
  label,
  hint,
  placeholder,
  value,
  error,
  onChange,
}: FieldText & {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        inputMode="decimal"
        autoComplete="off"
        value={value}
        placeholder={placeholder}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-hint`} className="hint" data-error={error !== undefined}>
        {error ?? hint}
      </p>
    </div>
  );
}
