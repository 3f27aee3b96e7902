import { useNow } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { isOutstanding, type Answer } from "./answer.js";

type Props = {
  answer: Answer | undefined;
  /** What is held for each answer. */
  held: number;
  tokensPerSecond: number;
  onStop: (answer: Answer) => void;
  onFail: (answer: Answer) => void;
};

/** One answer, and what became of what was held for it. */
export function AnswerCard({ answer, ...props }: Props) {
  return answer === undefined ? (
    <li data-state="free">
      <p className="muted">No answer</p>
      <div className="progress" />
      <div className="answer-end">
        <p className="muted small">Nothing is held.</p>
      </div>
    </li>
  ) : (
    <Asked answer={answer} {...props} />
  );
}

type AskedProps = Props & { answer: Answer };

function Asked({ answer, held, tokensPerSecond, onStop, onFail }: AskedProps) {
  const { label, askedAt, expiresAt, used, crashed } = answer;
  // What has been settled does not change any more.
  const now = useNow(100, used === undefined ? expiresAt : 0);
  const isHeld = isOutstanding(answer, now);
  const state = stateOf(answer, isHeld);
  const elapsed = Math.max(0, now - askedAt) / 1000;
  const written = crashed ? 0 : Math.floor(elapsed * tokensPerSecond);
  const cost = used ?? (isHeld ? Math.min(written, held) : held);
  return (
    <li data-state={state}>
      <p>
        <strong>{label}</strong>
        <span className="pill" data-state={PILLS[state]}>
          {state}
        </span>
      </p>
      <div className={isHeld ? "progress held" : "progress"} aria-hidden="true">
        <div style={{ width: `${(100 * cost) / held}%` }} />
      </div>
      <div className="answer-end">
        <p className="muted small">
          {state === "writing" && `${cost} written, ${held} held.`}
          {state === "settled" && `Cost ${cost}. ${held - cost} came back.`}
          {state === "failed" && `All ${held} came back.`}
          {state === "expired" && `All ${held} stay taken.`}
          {state === "crashed" && (
            <>
              {held} held for{" "}
              <Countdown until={expiresAt} since={askedAt} done="" />
            </>
          )}
        </p>
        {state === "writing" && (
          <div>
            <button
              type="button"
              className="quiet"
              aria-label={`Stop ${label}`}
              onClick={() => onStop(answer)}
            >
              Stop
            </button>
            <button
              type="button"
              className="quiet"
              aria-label={`Fail ${label}`}
              onClick={() => onFail(answer)}
            >
              Fail
            </button>
          </div>
        )}
      </div>
    </li>
  );
}

type State = "writing" | "crashed" | "settled" | "failed" | "expired";

const PILLS: Record<State, string> = {
  writing: "waiting",
  crashed: "limited",
  settled: "done",
  failed: "cancelled",
  expired: "limited",
};

function stateOf({ used, crashed }: Answer, isHeld: boolean): State {
  if (used !== undefined) return used > 0 ? "settled" : "failed";
  if (!isHeld) return "expired";
  return crashed ? "crashed" : "writing";
}
