import { readCount } from "./readCount.js";

type Props = {
  count: string;
  onCount: (count: string) => void;
  reserve: boolean;
  onReserve: (reserve: boolean) => void;
  retries: boolean;
  onRetries: (retries: boolean) => void;
  onTake: (count: number) => void;
  onCheck: (count: number) => void;
  onReset: () => void;
};

/** What can be done with both limits. */
export function TakeBar(props: Props) {
  const count = readCount(props.count);
  return (
    <form
      className="card take"
      aria-label="Take from both limits"
      onSubmit={(event) => {
        event.preventDefault();
        if (count !== undefined) props.onTake(count);
      }}
    >
      <div className="take-row">
        <button
          type="button"
          className="primary"
          onClick={() => props.onTake(1)}
        >
          Take 1
        </button>
        <button type="button" onClick={() => props.onTake(5)}>
          Take 5
        </button>
        <span className="take-count">
          <input
            aria-label="Count"
            inputMode="decimal"
            autoComplete="off"
            value={props.count}
            aria-invalid={count === undefined}
            onChange={(event) => props.onCount(event.target.value)}
          />
          <button type="submit" disabled={count === undefined}>
            Take
          </button>
          <button
            type="button"
            disabled={count === undefined}
            onClick={() => props.onCheck(count!)}
          >
            Check
          </button>
        </span>
        <button type="button" className="quiet" onClick={props.onReset}>
          Reset
        </button>
      </div>
      <div className="take-row">
        <Toggle
          label="Reserve ahead"
          isOn={props.reserve}
          onChange={props.onReserve}
        />
        <Toggle
          label="Auto-retry"
          isOn={props.retries}
          onChange={props.onRetries}
        />
      </div>
    </form>
  );
}

function Toggle({
  label,
  isOn,
  onChange,
}: {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  );
}
