import { useMutation, useQuery } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { useRef } from "react";
import { api } from "../../convex/_generated/api.js";
import { ActionButton } from "../ActionButton.js";
import { denied, done, granted, useAnswers } from "../answer.js";
import { Balance } from "../Balance.js";
import { useNow } from "../clock.js";
import { formatDuration } from "../format.js";
import { numberOf } from "../numberOf.js";
import { session } from "../session.js";
import { Tile } from "../Tile.js";
import { Trial } from "../Trial.js";
import { useLatest } from "../useLatest.js";
import { AnswerTile, isOutstanding, type Answer } from "./AnswerTile.js";

export type List = FunctionReturnType<typeof api.answers.list>;

/** As many as the app keeps. */
const PLACES = [0, 1, 2];

/** Answers whose cost is known only when they are written. */
export function Holds() {
  const list = useLatest(useQuery(api.answers.list, { session }));
  const ask = useMutation(api.answers.ask);
  const stop = useMutation(api.answers.stop);
  const startOver = useMutation(api.answers.startOver);
  const last = useRef(0);
  const calls = useAnswers();

  const askNow = (crashes: boolean) => {
    const known = (list?.answers ?? []).map(({ label }) => numberOf(label));
    last.current = Math.max(last.current, ...known) + 1;
    const label = `Answer ${last.current}`;
    return calls.run(async () => {
      const asked = await ask({ session, label, crashes });
      if (asked.ok) return granted(`${asked.held} tokens held.`);
      const wait = formatDuration(asked.retryAfter);
      return denied(`Too few left. More in ${wait}.`);
    });
  };
  const stopNow = ({ id, label }: Answer) =>
    calls.run(async () => {
      const { settled } = await stop({ session, id });
      return done(
        settled
          ? `${label} costs what it has written.`
          : `Too late: ${label} had ended.`,
      );
    });
  const startAgain = () =>
    calls.run(async () => {
      await startOver({ session });
      return done("Nothing is held, nothing used.");
    });

  return (
    <Trial
      calls={calls}
      hint="Ask, and see what comes back."
      actions={
        <>
          <ActionButton rank="first" onClick={() => askNow(false)}>
            Ask
          </ActionButton>
          <ActionButton onClick={() => askNow(true)}>
            Ask and crash
          </ActionButton>
          <ActionButton rank="quiet" onClick={startAgain}>
            Start over
          </ActionButton>
        </>
      }
    >
      <Budget list={list} />
      <ol className="tiles">
        {PLACES.map((place) => {
          const answer = list?.answers.find((answer) => answer.place === place);
          return list === undefined || answer === undefined ? (
            <Tile key={place} title="No answer" state="free">
              Nothing is held.
            </Tile>
          ) : (
            <AnswerTile
              key={place}
              answer={answer}
              list={list}
              onStop={() => stopNow(answer)}
            />
          );
        })}
      </ol>
    </Trial>
  );
}

/** What is left of the day's tokens, and what is held of them. */
function Budget({ list }: { list: List | undefined }) {
  const answers = list?.answers ?? [];
  // Until then something may be held.
  const ends = answers.map(({ used, expiresAt }) =>
    used === undefined ? expiresAt : 0,
  );
  const now = useNow(100, Math.max(0, ...ends));
  const outstanding = answers.filter((answer) => isOutstanding(answer, now));
  const held = (list?.held ?? 0) * outstanding.length;
  return (
    <Balance
      label="Tokens for answers today"
      stored={list?.balance}
      noun="tokens left today"
      held={held}
      legend={<span data-key="held">{held} held</span>}
    />
  );
}
