import { useState } from "react";
import { CopyButton } from "../CopyButton.js";
import { Segmented } from "../Segmented.js";
import { sampleCode } from "./sampleCode.js";
import { configOf, type Kind, type Settings } from "./settings.js";

type Props = { settings: Settings; count: number; reserve: boolean };

const KINDS = [
  { value: "token bucket", label: "Token bucket" },
  { value: "fixed window", label: "Fixed window" },
] satisfies { value: Kind; label: string }[];

/** What to write for what the page does now. */
export function SampleCode({ settings, count, reserve }: Props) {
  const [kind, setKind] = useState<Kind>("token bucket");
  const code = sampleCode(configOf(kind, settings), count, reserve);
  return (
    <article className="card sample" aria-label="Code of these settings">
      <header className="sample-head">
        <h3>Your code</h3>
        <Segmented
          label="Kind in the code"
          options={KINDS}
          value={kind}
          onChange={setKind}
        />
        <div className="sample-copy">
          <CopyButton text={code} />
        </div>
      </header>
      {/* Focusable, so that the keyboard can scroll it. */}
      <pre className="code" tabIndex={0} aria-label="Code">
        <code>{code}</code>
      </pre>
    </article>
  );
}
