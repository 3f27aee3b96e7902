import { useAction, useQuery } from "convex/react";
import { useState } from "react";
import { api } from "../../convex/_generated/api.js";
import { explain } from "../explain.js";
import { formatTokens } from "../format.js";
import { Said } from "../Said.js";
import { Segmented } from "../Segmented.js";
import { session } from "../session.js";
import { useCalls } from "../useCalls.js";
import { RecordsChart } from "./RecordsChart.js";
import { ShardBars } from "./ShardBars.js";
import "./shards.css";

const CAPACITY = 100;

type Mode = "row" | "shards" | "appended";

const MODES: { value: Mode; label: string }[] = [
  { value: "row", label: "One row" },
  { value: "shards", label: "Sharded" },
  { value: "appended", label: "Asynchronous" },
];
const CHOICES = [3, 7, 10, 20, 50].map((shards) => ({
  value: String(shards),
  label: String(shards),
}));

const HOW: Record<Mode, string> = {
  row: "Each call writes the one row. On a deployment, calls at the same time conflict there, and Convex runs them again.",
  shards:
    "Each call writes one of the rows, and looks at the others only if that one is short.",
  appended:
    "Each call that is granted appends a record and changes no other, so none conflicts. Now and then the records that later ones have seen are deleted.",
};

/** What the config of a mode has besides the rate. */
function changeOf(
  mode: Mode,
  shards: number,
): { shards?: number; applyUpdates?: "asynchronously" } {
  switch (mode) {
    case "row":
      return { shards: 1 };
    case "shards":
      return { shards };
    case "appended":
      return { applyUpdates: "asynchronously" };
  }
}

/** A limit of its own for each try, so that what was granted and what is left belong together. */
type Trial = { session: string; granted: number; denied: number };

function newTrial(): Trial {
  const run = crypto.getRandomValues(new Uint32Array(1))[0]!.toString(36);
  return { session: `${session}-${run}`, granted: 0, denied: 0 };
}

/** Fifty calls at once on a limit that is stored in one row, split, or appended to. */
export function Shards() {
  const [mode, setMode] = useState<Mode>("shards");
  const [shards, setShards] = useState("10");
  const [trial, setTrial] = useState(newTrial);
  const { answer, pending, run, forget } = useCalls<string>(explain);
  const isBusy = pending > 0;
  const burst = useAction(api.playground.burst);
  // An hour's window: nothing comes in meanwhile that would blur the sum.
  const config = {
    kind: "fixed window" as const,
    rate: CAPACITY,
    period: 3_600_000,
    ...changeOf(mode, Number(shards)),
  };
  const args = { session: trial.session, config };
  const isAppended = mode === "appended";
  const rows = useQuery(api.playground.shards, isAppended ? "skip" : args);
  const appended = useQuery(
    api.playground.appended,
    isAppended ? args : "skip",
  ) ?? { left: CAPACITY, records: 0 };
  const stored = rows?.balances ?? [];
  // A new trial has no rows yet, and is full.
  const balances =
    stored.length === 0 ? fullShards(config.shards ?? 1) : stored;
  const left = isAppended
    ? appended.left
    : balances.reduce((sum, balance) => sum + balance, 0);

  const startOver = () => {
    setTrial(newTrial());
    forget();
  };
  const burstNow = () =>
    run(async () => {
      const { granted, denied } = await burst({ ...args, calls: 50 });
      setTrial((before) =>
        before.session === args.session
          ? {
              ...before,
              granted: before.granted + granted,
              denied: before.denied + denied,
            }
          : before,
      );
      return `${granted} granted, ${denied} denied.`;
    });

  return (
    <div className="card shards">
      <div className="take-row">
        <Segmented
          label="How it is stored"
          options={MODES}
          value={mode}
          onChange={(value) => {
            setMode(value);
            startOver();
          }}
        />
        <Segmented
          label="Shards"
          options={CHOICES}
          value={shards}
          disabled={mode !== "shards"}
          onChange={(value) => {
            setShards(value);
            startOver();
          }}
        />
      </div>
      <div className="take-row">
        <button
          type="button"
          className="primary"
          aria-disabled={isBusy}
          onClick={() => {
            if (!isBusy) void burstNow();
          }}
        >
          Burst of 50
        </button>
        <button type="button" className="quiet" onClick={startOver}>
          Start over
        </button>
        <Said pending={pending}>{isBusy ? "50 calls at once…" : answer}</Said>
      </div>
      <p className="small how">
        <code>
          {Object.entries(changeOf(mode, Number(shards))).map(
            ([field, value]) => `${field}: ${JSON.stringify(value)}`,
          )}
        </code>
        <span className="muted">{HOW[mode]}</span>
      </p>
      {isAppended ? (
        <RecordsChart
          key={trial.session}
          stored={appended}
          capacity={CAPACITY}
        />
      ) : (
        <ShardBars balances={balances} share={CAPACITY / balances.length} />
      )}
      <dl className="sum">
        <Term name="granted" value={isBusy ? undefined : trial.granted} />
        <span aria-hidden="true">+</span>
        <Term name="left" value={left} />
        <span aria-hidden="true">=</span>
        <Term
          name="capacity"
          value={isBusy ? undefined : trial.granted + left}
        />
        <Term name="denied" value={isBusy ? undefined : trial.denied} isAside />
        {isAppended && <Term name="records" value={appended.records} isAside />}
      </dl>
    </div>
  );
}

function Term({
  name,
  value,
  isAside = false,
}: {
  name: string;
  /** Unknown while a burst is on its way. */
  value: number | undefined;
  isAside?: boolean;
}) {
  return (
    <div data-aside={isAside}>
      <dd>{value === undefined ? "…" : formatTokens(value)}</dd>
      <dt>{name}</dt>
    </div>
  );
}

function fullShards(shards: number): number[] {
  return Array.from({ length: shards }, () => CAPACITY / shards);
}
