import { useMutation, useQuery } from "convex/react";
import type { FunctionArgs, FunctionReturnType } from "convex/server";
import { useState } from "react";
import { api } from "../../convex/_generated/api.js";
import { explain } from "../explain.js";
import { formatTokens } from "../format.js";
import { Said } from "../Said.js";
import { Segmented } from "../Segmented.js";
import { session } from "../session.js";
import { useCalls } from "../useCalls.js";
import { useLatest } from "../useLatest.js";
import { MinutesChart } from "./MinutesChart.js";
import "./figures.css";

type Counted = FunctionArgs<typeof api.figures.thisHour>["name"];
export type Hour = FunctionReturnType<typeof api.figures.thisHour>;

const LIMITS: { value: Counted; label: string }[] = [
  { value: "sendMessage", label: "Messages" },
  { value: "user", label: "User" },
  { value: "upload", label: "Upload" },
];

/** What the limits of the sections above have granted and denied, and to whom. */
export function Figures() {
  const [name, setName] = useState<Counted>("sendMessage");
  const { answer, pending, run } = useCalls<string>(explain);
  const hour = useLatest(useQuery(api.figures.thisHour, { session, name }));
  const simulate = useMutation(api.operators.simulateUsers);
  const minutes = hour?.minutes ?? [];
  const granted = minutes.reduce((sum, minute) => sum + minute.granted, 0);
  const denied = minutes.reduce((sum, minute) => sum + minute.denied, 0);

  const letUsersSend = () =>
    run(async () => {
      await simulate({ session });
      return "Four users have sent messages.";
    });

  return (
    <div className="card figures">
      <div className="take-row">
        <button
          type="button"
          className="primary"
          onClick={() => void letUsersSend()}
        >
          Let four users send
        </button>
        <Said pending={pending}>{answer}</Said>
      </div>
      <Segmented
        label="Limit"
        options={LIMITS}
        value={name}
        onChange={setName}
      />
      <div className="figures-parts">
        <div>
          <p className="legend small muted">
            <span className="key-bar-granted">
              {formatTokens(granted)} granted
            </span>
            <span className="key-bar-denied">
              {formatTokens(denied)} denied this hour
            </span>
          </p>
          <MinutesChart minutes={minutes} />
        </div>
        <DeniedKeys keys={hour?.keys} />
      </div>
    </div>
  );
}

function DeniedKeys({ keys }: { keys: Hour["keys"] | undefined }) {
  const most = Math.max(1, ...(keys ?? []).map(({ denied }) => denied));
  return (
    <div className="denied-keys">
      <h3>Denied most</h3>
      <ol>
        {keys?.map(({ title, denied }) => (
          <li key={title}>
            <span>{title}</span>
            <span className="tokens">{formatTokens(denied)}</span>
            <div aria-hidden="true">
              <div style={{ width: `${(100 * denied) / most}%` }} />
            </div>
          </li>
        ))}
      </ol>
      {keys?.length === 0 && <p className="empty">Nobody, this hour.</p>}
    </div>
  );
}
