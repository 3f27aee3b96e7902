import { roundScale } from "./chart/scale.js";
import { formatTokens } from "./format.js";

type Props = {
  label: string;
  value: number;
  capacity: number;
  /** The deepest debt to have room for; more is made when the balance is deeper. */
  debt?: number;
  /** What is held: neither left nor used. */
  held?: number;
  /** What some leave for others. */
  floor?: number;
};

/** A balance as a bar, from the debt on the left of zero to the capacity. */
export function Meter({
  label,
  value,
  capacity,
  debt = 0,
  held = 0,
  floor = 0,
}: Props) {
  // In round steps, as the chart's axis: the zero must not creep while a debt is paid.
  const depth = -roundScale(Math.min(-debt, value), capacity).min;
  const range = depth + capacity || 1;
  const zero = (depth / range) * 100;
  const lengthOf = (count: number) => (Math.min(count, range) / range) * 100;
  const length = lengthOf(Math.abs(value));
  return (
    <div
      role="meter"
      className="meter"
      aria-label={label}
      aria-valuemin={-depth}
      aria-valuemax={capacity}
      aria-valuenow={Math.round(value * 10) / 10}
      aria-valuetext={`${formatTokens(value)} of ${formatTokens(capacity)} tokens${held > 0 ? `, ${formatTokens(held)} held` : ""}`}
    >
      <div
        className="meter-bar"
        data-debt={value < 0}
        style={{
          left: `${value < 0 ? zero - length : zero}%`,
          width: `${length}%`,
        }}
      />
      {held > 0 && (
        <div
          className="meter-bar held"
          style={{ left: `${zero + length}%`, width: `${lengthOf(held)}%` }}
        />
      )}
      {depth > 0 && <div className="meter-mark" style={{ left: `${zero}%` }} />}
      {floor > 0 && (
        <div
          className="meter-mark"
          data-floor="true"
          style={{ left: `${zero + lengthOf(floor)}%` }}
        />
      )}
    </div>
  );
}
