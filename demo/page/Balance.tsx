import type { ReactNode } from "react";
import { formatBalance } from "../../dashboard/page/words.js";
import { capacityOf } from "../../dashboard/page/rule.js";
import { useBalance, type Stored } from "./useBalance.js";

export type BalanceProps = {
  /** Undefined while it loads. */
  stored: Stored | undefined;
  /** What is left: `tokens`. */
  noun: string;
  /** What is held: no longer left, but not used either. */
  held?: number;
  legend?: ReactNode;
};

/** What is left, as a number and as a bar. It moves as time passes. */
export function Balance({ stored, ...props }: BalanceProps) {
  return stored === undefined ? (
    <p className="balance muted" aria-busy="true">
      Loading
    </p>
  ) : (
    <LoadedBalance stored={stored} {...props} />
  );
}

function LoadedBalance(props: BalanceProps & { stored: Stored }) {
  const { stored, noun, held = 0, legend } = props;
  const value = useBalance(stored);
  const capacity = capacityOf(stored.config);
  const left = formatBalance(value);
  const all = formatBalance(capacity);
  const share = (count: number) => `${(100 * Math.max(0, count)) / capacity}%`;
  return (
    <div className="balance">
      <p>
        <strong>{left}</strong>
        <span className="muted">
          of {all} {noun}
        </span>
        {legend !== undefined && (
          <span className="legend small muted">{legend}</span>
        )}
      </p>
      <div
        role="meter"
        className="meter"
        aria-label={noun}
        aria-valuemin={0}
        aria-valuemax={capacity}
        aria-valuenow={Math.round(value * 10) / 10}
        aria-valuetext={`${left} of ${all} ${noun}${held > 0 ? `, ${formatBalance(held)} held` : ""}`}
      >
        <div style={{ width: share(value) }} />
        {held > 0 && (
          <div
            className="held"
            style={{ left: share(value), width: share(held) }}
          />
        )}
      </div>
    </div>
  );
}
