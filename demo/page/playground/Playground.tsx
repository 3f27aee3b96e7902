import { useState } from "react";
import { LaneCard } from "./LaneCard.js";
import { readCount } from "./readCount.js";
import { SampleCode } from "./SampleCode.js";
import {
  configOf,
  DEFAULT_DRAFT,
  readDraft,
  type Settings,
} from "./settings.js";
import { SettingsForm } from "./SettingsForm.js";
import { TakeBar } from "./TakeBar.js";
import { useLane } from "./useLane.js";
import "./playground.css";

/** Two limits with the same numbers, one of each kind. What is taken is taken from both. */
export function Playground() {
  const [draft, setDraft] = useState(DEFAULT_DRAFT);
  const { settings: valid, errors } = readDraft(draft);
  const [settings, setSettings] = useState<Settings>(
    () => readDraft(DEFAULT_DRAFT).settings!,
  );
  // While something typed is not a config, the last one that was stays in force.
  if (valid !== undefined && JSON.stringify(valid) !== JSON.stringify(settings))
    setSettings(valid);

  const [count, setCount] = useState("3");
  const [reserve, setReserve] = useState(false);
  const [retries, setRetries] = useState(false);
  const bucket = useLane(configOf("token bucket", settings));
  const window = useLane(configOf("fixed window", settings));
  const lanes = [bucket, window];
  const debt = reserve ? debtToShow(settings) : 0;

  return (
    <div className="playground">
      <TakeBar
        count={count}
        onCount={setCount}
        reserve={reserve}
        onReserve={setReserve}
        retries={retries}
        onRetries={(retries) => {
          setRetries(retries);
          if (!retries) lanes.forEach((lane) => lane.stopRetrying());
        }}
        onTake={(count) =>
          lanes.forEach((lane) => void lane.take({ count, reserve }, retries))
        }
        onCheck={(count) =>
          lanes.forEach((lane) => void lane.check({ count, reserve }))
        }
        onReset={() => lanes.forEach((lane) => void lane.reset())}
      />
      <SettingsForm
        draft={draft}
        settings={settings}
        errors={errors}
        onChange={setDraft}
      />
      <div className="lanes">
        <LaneCard
          kind="token bucket"
          settings={settings}
          lane={bucket}
          debt={debt}
        />
        <LaneCard
          kind="fixed window"
          settings={settings}
          lane={window}
          debt={debt}
        />
      </div>
      <p className="legend small muted">
        <span className="key-granted">granted</span>
        <span className="key-denied">denied</span>
        <span className="key-ahead">ahead, if nobody takes</span>
      </p>
      <SampleCode
        settings={settings}
        count={readCount(count) ?? 1}
        reserve={reserve}
      />
    </div>
  );
}

/** Room for what may be reserved, but not so much that the balance would vanish beside it. */
function debtToShow({ rate, capacity = rate, maxReserved }: Settings): number {
  return Math.min(maxReserved ?? Infinity, capacity);
}
