import { useAction, useQuery } from "convex/react";
import { useState } from "react";
import { api } from "../../convex/_generated/api.js";
import { explain } from "../explain.js";
import { formatTokens } from "../format.js";
import { Said } from "../Said.js";
import { Segmented } from "../Segmented.js";
import { session } from "../session.js";
import { useCalls } from "../useCalls.js";
import { ShardBars } from "./ShardBars.js";
import "./shards.css";

const CAPACITY = 100;
const CHOICES = [1, 3, 7, 10, 20, 50].map((shards) => ({
  value: String(shards),
  label: String(shards),
}));

/** A limit of its own for each try, so that what was granted and what is left belong together. */
type Trial = { session: string; granted: number; denied: number };

function newTrial(): Trial {
  const run = crypto.getRandomValues(new Uint32Array(1))[0]!.toString(36);
  return { session: `${session}-${run}`, granted: 0, denied: 0 };
}

/** Fifty calls at once on a limit that is split over rows. */
export function Shards() {
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
    shards: Number(shards),
  };
  const args = { session: trial.session, config };
  const stored = useQuery(api.playground.shards, args)?.balances ?? [];
  // A new trial has no rows yet, and is full.
  const balances = stored.length === 0 ? fullShards(config.shards) : stored;
  const left = balances.reduce((sum, balance) => sum + balance, 0);

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
        <span aria-hidden="true" className="choice">
          Shards
        </span>
        <Segmented
          label="Shards"
          options={CHOICES}
          value={shards}
          onChange={(value) => {
            setShards(value);
            startOver();
          }}
        />
        <button
          type="button"
          className="primary"
          aria-disabled={isBusy}
          onClick={() => {
            if (!isBusy) void burstNow();
          }}
        >
          Burst of 50 at once
        </button>
        <button type="button" className="quiet" onClick={startOver}>
          Start over
        </button>
        <Said pending={pending}>{isBusy ? "50 calls at once…" : answer}</Said>
      </div>
      <ShardBars balances={balances} share={CAPACITY / config.shards} />
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
