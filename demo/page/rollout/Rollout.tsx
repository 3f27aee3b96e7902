import { useMutation, useQuery } from "convex/react";
import { useState } from "react";
import { api } from "../../convex/_generated/api.js";
import type { CommentOutcome } from "../../convex/rollout.js";
import { done, useCalls } from "../calls.js";
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
  const calls = useCalls();
  const state = useLatest(useQuery(api.rollout.state, { session }));
  const enforce = useMutation(api.rollout.enforce);
  const comment = useMutation(api.rollout.comment);
  const startOver = useMutation(api.rollout.startOver);

  /** The outcomes of the last comments, in the order of the users. */
  const [outcomes, setOutcomes] = useState<CommentOutcome[]>([]);

  const setShare = (share: number) =>
    calls.run(async () => {
      await enforce({ session, share });
      setOutcomes([]);
      return done(`Enforced for ${formatShare(share)} of the users.`);
    });
  const letAllComment = () =>
    calls.run(async () => {
      const latest = await comment({ session });
      setOutcomes(latest);
      return done(sentenceOf(latest));
    });
  const startAgain = () => {
    setOutcomes([]);
    return startOver({ session });
  };

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
          onChange={(value) => void setShare(Number(value))}
        />
      }
      onStartOver={startAgain}
    >
      {state === undefined ? (
        <p className="muted">Loading</p>
      ) : (
        <Users enforced={state.enforced} outcomes={outcomes} />
      )}
    </Trial>
  );
}

/** Says how many were denied, and how many the dry run let through. */
function sentenceOf(outcomes: readonly CommentOutcome[]): string {
  const count = (outcome: CommentOutcome) =>
    outcomes.filter((it) => it === outcome).length;
  const [denied, wouldDeny] = [count("denied"), count("wouldDeny")];
  if (denied === 0) {
    return wouldDeny === 0
      ? "All posted."
      : `All posted. Enforced, ${wouldDeny} would be denied.`;
  }
  return wouldDeny === 0
    ? `${denied} were denied.`
    : `${denied} were denied. The dry run let ${wouldDeny} through.`;
}

type UsersProps = { enforced: boolean[]; outcomes: readonly CommentOutcome[] };

/** Each user as a dot: filled where the limit is enforced, crossed where it has denied. */
function Users({ enforced, outcomes }: UsersProps) {
  const count = enforced.filter(Boolean).length;
  const denied = outcomes.filter((outcome) => outcome === "denied").length;
  return (
    <>
      <div
        className="users"
        role="img"
        aria-label={`The limit is enforced for ${count} of ${enforced.length} users, and denied ${denied}`}
      >
        {enforced.map((isEnforced, i) => (
          <span key={i} data-enforced={isEnforced} data-outcome={outcomes[i]} />
        ))}
      </div>
      <p className="legend small muted">
        <span data-key="enforced">{count} limited</span>
        <span data-key="dry-run">{enforced.length - count} in a dry run</span>
        <span data-key="denied">denied</span>
      </p>
    </>
  );
}

function formatShare(share: number): string {
  return `${Math.round(100 * share)}%`;
}
