import { useWaiting, type Calls } from "./calls.js";
import { Countdown } from "./Countdown.js";

type Props = Pick<Calls, "result" | "pending"> & {
  /** What to say before the first call. */
  hint: string;
};

const VERDICTS = {
  granted: "Granted",
  denied: "Denied",
  done: undefined,
  failed: "Error",
};

/** The result of the last call, or that calls wait for the server. */
export function CallStatus({ result, pending, hint }: Props) {
  const waiting = useWaiting(pending);
  const kind = waiting === undefined ? result?.kind : "pending";
  const verdict = kind === "pending" ? "Pending" : kind && VERDICTS[kind];
  const then = waiting === undefined ? result?.then : undefined;
  return (
    <p className="answer" data-kind={kind}>
      <span role="status">
        {verdict !== undefined && (
          <strong className="verdict">{verdict}</strong>
        )}{" "}
        {waiting ?? result?.text ?? hint}
      </span>
      {then !== undefined && (
        // Outside the status, so that screen readers do not announce each second.
        <span>
          {then.label} <Countdown until={then.time} prefix="in " done="now" />
        </span>
      )}
    </p>
  );
}
