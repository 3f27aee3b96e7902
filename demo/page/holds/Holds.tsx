import { useMutation, useQuery } from "convex/react";
import { useRef } from "react";
import { duration } from "../../../dashboard/page/words.js";
import { api } from "../../convex/_generated/api.js";
import { denied, done, granted, useAnswers } from "../answer.js";
import { useNow } from "../clock.js";
import { session } from "../session.js";
import { Tile } from "../Tile.js";
import { Trial } from "../Trial.js";
import { useLatest } from "../useLatest.js";
import { numberOf } from "../words.js";
import {
  AnswerTile,
  isOutstanding,
  type Answer,
  type List,
} from "./AnswerTile.js";

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
  const held = useHeld(list);

  const askNow = (crashes: boolean) => {
    const known = (list?.answers ?? []).map(({ label }) => numberOf(label));
    last.current = Math.max(last.current, ...known) + 1;
    const label = `Answer ${last.current}`;
    return calls.run(async () => {
      const asked = await ask({ session, label, crashes });
      if (asked.ok) return granted(`${asked.held} tokens held.`);
      return denied(`Too few left. More in ${duration(asked.retryAfter)}.`);
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

  return (
    <Trial
      calls={calls}
      hint="Ask, and see what comes back."
      actions={[
        ["Ask", () => askNow(false)],
        ["Ask and crash", () => askNow(true)],
      ]}
      onStartOver={() => startOver({ session })}
      balance={{
        stored: list?.balance,
        noun: "tokens left today",
        held,
        legend: <span data-key="held">{held} held</span>,
      }}
    >
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

/** How many tokens are held. */
function useHeld(list: List | undefined): number {
  const answers = list?.answers ?? [];
  // Until then something may be held.
  const ends = answers.map(({ used, expiresAt }) =>
    used === undefined ? expiresAt : 0,
  );
  const now = useNow(100, Math.max(0, ...ends));
  const outstanding = answers.filter((answer) => isOutstanding(answer, now));
  return (list?.held ?? 0) * outstanding.length;
}
