import { useMutation, useQuery } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { useState } from "react";
import { api } from "../../convex/_generated/api.js";
import { useNow } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { explain } from "../explain.js";
import { plural } from "../format.js";
import { Said } from "../Said.js";
import { Segmented } from "../Segmented.js";
import { session } from "../session.js";
import { useCalls } from "../useCalls.js";
import { useLatest } from "../useLatest.js";
import { WithCode } from "../WithCode.js";
import { codeOf } from "./code.js";
import "./rollout.css";

const SHARES = ["0", "0.1", "0.5", "1"].map((value) => ({
  value,
  label: formatShare(Number(value)),
}));

/** How long ahead a share can be set. */
const AHEAD_MS = 5000;

/** A limit that is enforced for a few users first. */
export function Rollout() {
  const [share, setShare] = useState("0.1");
  const [ahead, setAhead] = useState(0);
  const { answer, pending, run } = useCalls<string>(explain);
  const state = useLatest(useQuery(api.rollout.state, { session }));
  const enforce = useMutation(api.rollout.enforce);
  const comment = useMutation(api.rollout.comment);
  const startOver = useMutation(api.rollout.startOver);

  const set = (ahead: number) => {
    setAhead(ahead);
    return run(async () => {
      await enforce({ session, share: Number(share), ahead });
      const target = `${formatShare(Number(share))} of the users`;
      return ahead === 0
        ? `Enforced for ${target}.`
        : `Will be enforced for ${target}.`;
    });
  };
  const letAllComment = () =>
    run(async () => {
      const { granted, denied, wouldDeny } = await comment({ session });
      const posted = `${plural(granted + wouldDeny, "comment")} posted, ${denied} denied.`;
      return wouldDeny === 0
        ? posted
        : `${posted} Over the limit in the dry run: ${wouldDeny}.`;
    });
  const startAgain = () =>
    run(async () => {
      await startOver({ session });
      return "A dry run for all again.";
    });

  return (
    <WithCode
      title="Your code for a roll-out"
      code={codeOf(Number(share), ahead)}
    >
      <div className="take-row">
        <Segmented
          label="Share of the users"
          options={SHARES}
          value={share}
          onChange={setShare}
        />
        <button type="button" className="primary" onClick={() => void set(0)}>
          Enforce now
        </button>
        <button type="button" onClick={() => void set(AHEAD_MS)}>
          In 5 s
        </button>
      </div>
      <div className="take-row">
        <button type="button" onClick={() => void letAllComment()}>
          Let all comment
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() => void startAgain()}
        >
          Start over
        </button>
        <Said pending={pending}>{answer}</Said>
      </div>
      {state === undefined ? (
        <p className="muted rollout">Loading</p>
      ) : (
        <Users {...state} />
      )}
    </WithCode>
  );
}

type State = FunctionReturnType<typeof api.rollout.state>;

/** Each user as a dot: filled where the limit is enforced. */
function Users({ users, shares }: State) {
  const coming = shares.findLast(({ startsAt }) => startsAt !== undefined);
  const startsAt = coming?.startsAt ?? 0;
  const now = useNow(100, startsAt);
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
        <span className="key-enforced">
          {count} of {users.length} limited
        </span>
        <span className="key-dry-run">{users.length - count} in a dry run</span>
        {coming !== undefined && now < startsAt && (
          <span className="coming">
            {formatShare(coming.share)} in{" "}
            <Countdown until={startsAt} done="a moment" />
          </span>
        )}
      </p>
    </div>
  );
}

function formatShare(share: number): string {
  return `${Math.round(100 * share)}%`;
}
