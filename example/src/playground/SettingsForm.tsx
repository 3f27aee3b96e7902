import { useId } from "react";
import type { Draft, Errors, Field } from "./settings.js";

type Props = {
  draft: Draft;
  errors: Errors;
  onChange: (draft: Draft) => void;
};

type FieldText = { label: string; hint: string; placeholder?: string };

const TEXTS: Record<Field, FieldText> = {
  rate: { label: "Rate", hint: "tokens a period" },
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
    hint: "s, fixed window",
    placeholder: "by key",
  },
};

/** Every field of a config. It acts as it is typed. */
export function SettingsForm({ draft, errors, onChange }: Props) {
  return (
    <form
      className="card settings"
      aria-label="Settings of both limits"
      onSubmit={(event) => event.preventDefault()}
    >
      <h3>Settings</h3>
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
        Dry run: never deny, only report
      </label>
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
