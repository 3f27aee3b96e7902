import { useState } from "react";
import { Actions } from "../Trial.js";
import { WithCode } from "../WithCode.js";
import { definitionOf } from "./definition.js";
import { Lane } from "./Lane.js";
import { DEFAULT_DRAFT, readDraft, type Settings } from "./settings.js";
import { SettingsForm } from "./SettingsForm.js";
import { useLane } from "./useLane.js";
import "./kinds.css";

/** Two limits with the same numbers, one of each kind. Each button takes from both. */
export function Kinds() {
  const [draft, setDraft] = useState(DEFAULT_DRAFT);
  const [settings, setSettings] = useState<Settings>({
    rate: 10,
    period: 20_000,
  });
  const read = readDraft(draft);
  // While a field holds no number, the last valid settings stay in force.
  if (
    "settings" in read &&
    JSON.stringify(read.settings) !== JSON.stringify(settings)
  ) {
    setSettings(read.settings);
  }
  const { rate, capacity = rate } = settings;
  // More than the capacity would never be granted.
  const counts = [1, Math.min(5, Math.floor(capacity))];
  const lanes = [
    useLane({ kind: "token bucket", ...settings }),
    useLane({ kind: "fixed window", ...settings }),
  ];
  const take = (count: number) => lanes.map((lane) => lane.take(count));

  return (
    <WithCode
      files={[{ name: "convex/rateLimiter.ts", text: definitionOf(settings) }]}
    >
      <div className="trial">
        <Actions
          actions={counts
            .filter((count, i) => i === 0 || count > 1)
            .map((count) => [`Take ${count}`, () => take(count)])}
          onStartOver={() => lanes.map((lane) => lane.reset())}
        />
        <div className="lanes">
          {lanes.map((lane) => (
            <Lane key={lane.config.kind} lane={lane} />
          ))}
        </div>
        <p className="legend small muted">
          <span data-key="granted">granted</span>
          <span data-key="denied">denied</span>
          <span data-key="ahead">ahead, if nobody takes</span>
        </p>
        <SettingsForm
          draft={draft}
          settings={settings}
          problem={"problem" in read ? read.problem : undefined}
          onChange={(next) => {
            setDraft(next);
            // The last results were about other numbers.
            for (const { calls } of lanes) calls.forget();
          }}
        />
      </div>
    </WithCode>
  );
}
