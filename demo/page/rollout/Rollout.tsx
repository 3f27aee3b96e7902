import { useMutation, useQuery } from "convex/react";
import { api } from "../../convex/_generated/api.js";
import { done, useAnswers } from "../answer.js";
import { Segmented } from "../Segmented.js";
import { session } from "../session.js";
import { Trial } from "../Trial.js";
import { useLatest } from "../useLatest.js";
import "./rollout.css";

const SHARES = [0, 0.1, 0.5, 1].map((share) => ({
  value: String(share),
  label: formatShare(share),
}));

/** A limit that is enforced for a few users first. */
export function Rollout() {
  const calls = useAnswers();
  const state = useLatest(useQuery(api.rollout.state, { session }));
  const enforce = useMutation(api.rollout.enforce);
  const comment = useMutation(api.rollout.comment);
  const startOver = useMutation(api.rollout.startOver);

  const set = (share: number) =>
    calls.run(async () => {
      await enforce({ session, share });
      return done(`Enforced for ${formatShare(share)} of the users.`);
    });
  const letAllComment = () =>
    calls.run(async () => {
      const { granted, denied, wouldDeny } = await comment({ session });
      const posted = granted + wouldDeny;
      return done(`${posted} posted, ${denied} denied, ${wouldDeny} would be.`);
    });

  return (
    <Trial
      calls={calls}
      hint="Let all comment twice, then try 50%."
      actions={[["Let all comment", letAllComment]]}
      choices={
        <Segmented
          label="Share of the users"
          options={SHARES}
          value={String(state?.share ?? 0)}
          onChange={(value) => void set(Number(value))}
        />
      }
      onStartOver={() => startOver({ session })}
    >
      {state === undefined ? (
        <p className="muted">Loading</p>
      ) : (
        <Users enforced={state.enforced} />
      )}
    </Trial>
  );
}

/** Each user as a dot: filled where the limit is enforced. */
function Users({ enforced }: { enforced: boolean[] }) {
  const count = enforced.filter(Boolean).length;
  return (
    <>
      <div
        className="users"
        role="img"
        aria-label={`The limit is enforced for ${count} of ${enforced.length} users`}
      >
        {enforced.map((isEnforced, i) => (
          <span key={i} data-enforced={isEnforced} />
        ))}
      </div>
      <p className="legend small muted">
        <span data-key="enforced">
          {count} of {enforced.length} limited
        </span>
        <span data-key="dry-run">{enforced.length - count} in a dry run</span>
      </p>
    </>
  );
}

function formatShare(share: number): string {
  return `${Math.round(100 * share)}%`;
}
