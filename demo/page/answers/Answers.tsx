import { useMutation, useQuery } from "convex/react";
import { useRef } from "react";
import { calculateRateLimit } from "convex-rate-limiter";
import { api } from "../../convex/_generated/api.js";
import { Balance } from "../Balance.js";
import { useIsBefore, useNow } from "../clock.js";
import { explain } from "../explain.js";
import { formatDuration, formatTokens } from "../format.js";
import { Meter } from "../Meter.js";
import { numberOf } from "../numberOf.js";
import { Said } from "../Said.js";
import { session } from "../session.js";
import { timeWhenFull } from "../timeWhenFull.js";
import { useCalls } from "../useCalls.js";
import { useLatest } from "../useLatest.js";
import { WithCode } from "../WithCode.js";
import { AnswerCard } from "./AnswerCard.js";
import { isOutstanding, type Answer, type List } from "./answer.js";
import { CODE } from "./code.js";
import "./answers.css";

/** As many as the app keeps. */
const PLACES = [0, 1, 2];

/** Answers whose cost is known only when they are written. */
export function Answers() {
  const list = useLatest(useQuery(api.answers.list, { session }));
  const ask = useMutation(api.answers.ask);
  const stop = useMutation(api.answers.stop);
  const fail = useMutation(api.answers.fail);
  const startOver = useMutation(api.answers.startOver);
  const last = useRef(0);
  const { answer: said, pending, run } = useCalls<string>(explain);

  const askNow = (crashes: boolean) => {
    const known = (list?.answers ?? []).map(({ label }) => numberOf(label));
    last.current = Math.max(last.current, ...known) + 1;
    const label = `Answer ${last.current}`;
    return run(async () => {
      const asked = await ask({ session, label, crashes });
      if (asked.ok) return `Held ${asked.held} tokens for ${label}.`;
      const wait = formatDuration(asked.retryAfter);
      return `Refused: fewer than ${asked.wanted} left. More in ${wait}.`;
    });
  };
  const end = (verb: typeof stop, { id, label }: Answer, done: string) =>
    run(async () => {
      const { settled } = await verb({ session, id });
      return settled ? `${label} ${done}` : `Too late: ${label} had ended.`;
    });
  const startAgain = () =>
    run(async () => {
      await startOver({ session });
      return "Nothing is held, nothing used.";
    });

  return (
    <WithCode title="Your code for a hold" code={CODE}>
      <div className="take-row">
        <button
          type="button"
          className="primary"
          onClick={() => void askNow(false)}
        >
          Ask
        </button>
        <button type="button" onClick={() => void askNow(true)}>
          Ask and crash
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() => void startAgain()}
        >
          Start over
        </button>
        <Said pending={pending}>{said}</Said>
      </div>
      {list === undefined ? (
        <p className="budget muted">Loading</p>
      ) : (
        <Budget list={list} />
      )}
      <ol className="tiles">
        {PLACES.map((place) => (
          <AnswerCard
            key={place}
            answer={list?.answers.find((answer) => answer.place === place)}
            held={list?.held ?? 0}
            tokensPerSecond={list?.tokensPerSecond ?? 0}
            onStop={(answer) =>
              void end(stop, answer, "costs what it has written.")
            }
            onFail={(answer) => void end(fail, answer, "costs nothing.")}
          />
        ))}
      </ol>
    </WithCode>
  );
}

/** What is left of the day's tokens, what is held of them, and what was used. */
function Budget({ list: { answers, held, balance } }: { list: List }) {
  const { config } = balance;
  const fullAt = timeWhenFull(balance);
  const isUsed = useIsBefore(fullAt);
  // Until then something may be held.
  const ends = answers.map(({ used, expiresAt }) =>
    used === undefined ? expiresAt : 0,
  );
  const now = useNow(100, Math.max(0, ...ends));
  const at = isUsed ? now : Math.max(now, fullAt);
  const { value } = calculateRateLimit(balance, config, at);
  const capacity = config.capacity ?? config.rate;
  const outstanding =
    held * answers.filter((answer) => isOutstanding(answer, now)).length;
  return (
    <div className="budget">
      <Balance value={value} capacity={capacity} noun="tokens left today" />
      <p className="legend small muted">
        <span className="key-held">{formatTokens(outstanding)} held</span>
        <span className="key-used">
          {formatTokens(capacity - value - outstanding)} used
        </span>
      </p>
      <Meter
        label="Tokens for answers today"
        value={value}
        capacity={capacity}
        held={outstanding}
      />
    </div>
  );
}
