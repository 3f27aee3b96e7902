import { useMutation, useQuery } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { formatDuration } from "../../../dashboard/page/words.js";
import { api } from "../../convex/_generated/api.js";
import { denied, done, granted, useCalls } from "../calls.js";
import { useClock, useNow } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { session } from "../session.js";
import { Trial } from "../Trial.js";
import { useLatest } from "../useLatest.js";
import { Tile } from "./Tile.js";

type List = FunctionReturnType<typeof api.answers.list>;
type ModelAnswer = List["answers"][number];

/** One for each place of the limit. */
const PLACES = [0, 1, 2];

/** Calls that hold a place and tokens while they are written. */
export function Holds() {
  const now = useClock();
  const list = useLatest(useQuery(api.answers.list, { session }));
  const ask = useMutation(api.answers.ask);
  const stop = useMutation(api.answers.stop);
  const startOver = useMutation(api.answers.startOver);
  const calls = useCalls();
  const held = useHeld(list);

  const askNow = (crashes: boolean) =>
    calls.run(async () => {
      const asked = await ask({ session, crashes });
      if (asked.ok) return granted(`A place, and ${asked.held} tokens.`);
      return asked.lacks === "place"
        ? denied("No place is free.", now() + asked.retryAfter, "Next")
        : denied(
            `Too few tokens. More in ${formatDuration(asked.retryAfter)}.`,
          );
    });
  const stopNow = ({ id }: ModelAnswer) =>
    calls.run(async () => {
      const { settled } = await stop({ session, id });
      return done(
        settled ? "It costs what it has written." : "Too late: it had ended.",
      );
    });

  return (
    <Trial
      calls={calls}
      hint="Ask three times at once, then let one crash."
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
          const answer = list?.answers.find((one) => one.place === place);
          const title = `Place ${place + 1}`;
          return list === undefined || answer === undefined ? (
            <Tile key={place} title={title} state="free" />
          ) : (
            <Place
              key={place}
              title={title}
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

type PlaceProps = {
  title: string;
  answer: ModelAnswer;
  list: List;
  onStop: () => unknown;
};

/** The answer being written in a place, or what came of its holds. */
function Place({ title, answer, list, onStop }: PlaceProps) {
  const { askedAt, expiresAt, used, crashed } = answer;
  const { held, tokensPerSecond } = list;
  // A settled answer no longer changes.
  const now = useNow(100, used === undefined ? expiresAt : 0);
  if (!isOutstanding(answer, now)) {
    return (
      <Tile title={title} state="free">
        {used === undefined
          ? `Crashed: all ${held} stay taken.`
          : `Cost ${used}: ${held - used} came back.`}
      </Tile>
    );
  }
  if (crashed) {
    return (
      <Tile title={title} state="crashed" tone="bad">
        Held for <Countdown until={expiresAt} since={askedAt} done="a moment" />
      </Tile>
    );
  }
  const seconds = Math.max(0, now - askedAt) / 1000;
  const written = Math.min(Math.floor(seconds * tokensPerSecond), held);
  return (
    <Tile
      title={title}
      state="writing"
      tone="good"
      share={written / held}
      actions={
        <button
          type="button"
          className="quiet"
          aria-label={`Stop ${title}`}
          onClick={() => void onStop()}
        >
          Stop
        </button>
      }
    >
      {written} of {held} written
    </Tile>
  );
}

/** Whether its holds can still be ended. */
function isOutstanding({ used, expiresAt }: ModelAnswer, now: number): boolean {
  return used === undefined && now < expiresAt;
}

/** How many tokens are held. */
function useHeld(list: List | undefined): number {
  const answers = list?.answers ?? [];
  const ends = answers.map(({ used, expiresAt }) =>
    used === undefined ? expiresAt : 0,
  );
  const now = useNow(100, Math.max(0, ...ends));
  const outstanding = answers.filter((answer) => isOutstanding(answer, now));
  return (list?.held ?? 0) * outstanding.length;
}
