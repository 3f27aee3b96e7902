import type { ReactNode } from "react";
import { formatTokens } from "./format.js";
import { Meter, type MeterParts } from "./Meter.js";
import { capacityOf, useBalance, type Stored } from "./useBalance.js";

type Props = MeterParts & {
  /** For the meter, and for those who do not see it. */
  label: string;
  /** Undefined while it loads. */
  stored: Stored | undefined;
  /** What is left: `tokens`. */
  noun: string;
  legend?: ReactNode;
};

/** What is left, in large and as a bar. It goes on as time passes. */
export function Balance({ stored, ...props }: Props) {
  return stored === undefined ? (
    <p className="balance muted" aria-busy="true">
      Loading
    </p>
  ) : (
    <Live stored={stored} {...props} />
  );
}

function Live({
  label,
  stored,
  noun,
  legend,
  ...parts
}: Props & { stored: Stored }) {
  const value = useBalance(stored);
  const capacity = capacityOf(stored);
  return (
    <div className="balance">
      <p>
        <strong>{formatTokens(value)}</strong>
        <span className="muted">
          of {formatTokens(capacity)} {noun}
        </span>
        {legend !== undefined && (
          <span className="legend small muted">{legend}</span>
        )}
      </p>
      <Meter label={label} value={value} capacity={capacity} {...parts} />
    </div>
  );
}
