import { formatTokens } from "./format.js";

export type MeterParts = {
  /** What is held: neither left nor used. */
  held?: number;
  /** What some leave for others. */
  floor?: number;
};

type Props = MeterParts & { label: string; value: number; capacity: number };

/** A balance as a bar. */
export function Meter(props: Props) {
  const { label, value, capacity, held = 0, floor = 0 } = props;
  const share = (count: number) => `${(100 * Math.max(0, count)) / capacity}%`;
  return (
    <div
      role="meter"
      className="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={capacity}
      aria-valuenow={Math.round(value * 10) / 10}
      aria-valuetext={`${formatTokens(value)} of ${formatTokens(capacity)} tokens${held > 0 ? `, ${formatTokens(held)} held` : ""}`}
    >
      <div className="meter-bar" style={{ width: share(value) }} />
      {held > 0 && (
        <div
          className="meter-bar held"
          style={{ left: share(value), width: share(held) }}
        />
      )}
      {floor > 0 && (
        <div className="meter-mark" style={{ left: share(floor) }} />
      )}
    </div>
  );
}
