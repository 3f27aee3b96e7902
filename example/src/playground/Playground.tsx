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

  const [count, setCount] = useState("20");
  const [reserve, setReserve] = useState(false);
  const [retries, setRetries] = useState(false);
  const bucket = useLane(configOf("token bucket", settings));
  const window = useLane(configOf("fixed window", settings));
  const lanes = [bucket, window];

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
      <div className="lanes">
        <LaneCard kind="token bucket" settings={settings} lane={bucket} />
        <LaneCard kind="fixed window" settings={settings} lane={window} />
      </div>
      <p className="legend small muted">
        <span className="key-granted">granted</span>
        <span className="key-denied">denied</span>
        <span className="key-ahead">what comes if nobody asks</span>
      </p>
      <SettingsForm draft={draft} errors={errors} onChange={setDraft} />
      <SampleCode
        settings={settings}
        count={readCount(count) ?? 1}
        reserve={reserve}
      />
    </div>
  );
}
