import { useMutation, useQuery } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { api } from "../../convex/_generated/api.js";
import { ActionButton } from "../ActionButton.js";
import { done, useAnswers } from "../answer.js";
import { useNow } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { Segmented } from "../Segmented.js";
import { session } from "../session.js";
import { Trial } from "../Trial.js";
import { useLatest } from "../useLatest.js";
import "./rollout.css";

type State = FunctionReturnType<typeof api.rollout.state>;

const SHARES = [0, 0.1, 0.5, 1].map((share) => ({
  value: String(share),
  label: formatShare(share),
}));

/** How long ahead a share can be set. */
const AHEAD_MS = 5000;

/** A limit that is enforced for a few users first. */
export function Rollout() {
  const calls = useAnswers();
  const state = useLatest(useQuery(api.rollout.state, { session }));
  const enforce = useMutation(api.rollout.enforce);
  const comment = useMutation(api.rollout.comment);
  const startOver = useMutation(api.rollout.startOver);
  const { now, share, coming } = useShares(state);

  const set = (share: number, ahead: number) =>
    calls.run(async () => {
      await enforce({ session, share, ahead });
      return done(
        ahead > 0
          ? `Will be enforced for ${formatShare(share)} of the users.`
          : `Enforced for ${formatShare(share)} of the users.`,
      );
    });
  const letAllComment = () =>
    calls.run(async () => {
      const { granted, denied, wouldDeny } = await comment({ session });
      const posted = granted + wouldDeny;
      return done(`${posted} posted, ${denied} denied, ${wouldDeny} would be.`);
    });
  const startAgain = () =>
    calls.run(async () => {
      await startOver({ session });
      return done("A dry run for all again.");
    });

  return (
    <Trial
      calls={calls}
      hint="Let all comment twice, then try 50%."
      actions={
        <>
          <ActionButton rank="first" onClick={letAllComment}>
            Let all comment
          </ActionButton>
          <Segmented
            label="Share of the users"
            options={SHARES}
            value={share}
            onChange={(value) => void set(Number(value), 0)}
          />
          <ActionButton onClick={() => set(1, AHEAD_MS)}>
            All in 5 s
          </ActionButton>
          <ActionButton rank="quiet" onClick={startAgain}>
            Start over
          </ActionButton>
        </>
      }
    >
      {state === undefined ? (
        <p className="rollout muted">Loading</p>
      ) : (
        <Users users={state.users} now={now} coming={coming} />
      )}
    </Trial>
  );
}

type Share = State["shares"][number];

/** The share of the users that the server enforces the limit for, and the next one. */
function useShares(state: State | undefined): {
  /** Until the last change: what is later is the same. */
  now: number;
  share: string;
  coming: Share | undefined;
} {
  const shares = state?.shares ?? [];
  const changes = shares.map(({ startsAt = 0 }) => startsAt);
  const now = useNow(100, Math.max(0, ...changes));
  const current = shares.findLast(({ startsAt = 0 }) => startsAt <= now);
  const coming = shares.find(({ startsAt = 0 }) => startsAt > now);
  return { now, share: String(current?.share ?? 0), coming };
}

/** Each user as a dot: filled where the limit is enforced. */
function Users({
  users,
  now,
  coming,
}: {
  users: State["users"];
  now: number;
  coming: Share | undefined;
}) {
  const enforced = users.map(
    (rules) =>
      rules.find(({ until = Infinity }) => now < until)?.isEnforced === true,
  );
  const count = enforced.filter(Boolean).length;
  return (
    <div className="rollout">
      <div
        className="users"
        role="img"
        aria-label={`The limit is enforced for ${count} of ${users.length} users`}
      >
        {enforced.map((isEnforced, i) => (
          <span key={i} data-enforced={isEnforced} />
        ))}
      </div>
      <p className="legend small muted">
        <span data-key="enforced">
          {count} of {users.length} limited
        </span>
        <span data-key="dry-run">{users.length - count} in a dry run</span>
        {coming?.startsAt !== undefined && (
          <span>
            {formatShare(coming.share)} in{" "}
            <Countdown until={coming.startsAt} done="a moment" />
          </span>
        )}
      </p>
    </div>
  );
}

function formatShare(share: number): string {
  return `${Math.round(100 * share)}%`;
}
