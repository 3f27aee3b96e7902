import { useWaiting, type Answers } from "./answer.js";
import { Countdown } from "./Countdown.js";

type Props = Pick<Answers, "answer" | "pending"> & {
  /** What to say before the first call. */
  hint: string;
};

const VERDICTS = {
  granted: "Granted",
  denied: "Denied",
  done: undefined,
  failed: "Error",
};

/** What came of the last call, or that it waits for the server. */
export function Answered({ answer, pending, hint }: Props) {
  const waiting = useWaiting(pending);
  const kind = waiting === undefined ? answer?.kind : "pending";
  const verdict = kind === "pending" ? "Pending" : kind && VERDICTS[kind];
  const then = waiting === undefined ? answer?.then : undefined;
  return (
    <p className="answer" data-kind={kind}>
      <span role="status">
        {verdict !== undefined && (
          <strong className="verdict">{verdict}</strong>
        )}{" "}
        {waiting ?? answer?.text ?? hint}
      </span>
      {then !== undefined && (
        // The time goes on without a word for screen readers.
        <span>
          {then.label} <Countdown until={then.at} prefix="in " done="now" />
        </span>
      )}
    </p>
  );
}
