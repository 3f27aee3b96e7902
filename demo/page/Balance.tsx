import { formatTokens } from "./format.js";

type Props = { value: number; capacity: number; noun: string };

/** What is left, in large. */
export function Balance({ value, capacity, noun }: Props) {
  return (
    <p className="balance">
      <strong data-debt={value < 0}>{formatTokens(value)}</strong>
      <span className="muted">
        {" "}
        of {formatTokens(capacity)} {noun}
      </span>
    </p>
  );
}
