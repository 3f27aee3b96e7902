import { useState } from "react";
import { CodeBlock } from "../CodeBlock.js";
import { Segmented } from "../Segmented.js";
import { callCode, definitionCode } from "./sampleCode.js";
import { configOf, type Kind, type Settings } from "./settings.js";
import { warningOf } from "./warnings.js";

type Props = { settings: Settings; count: number; reserve: boolean };

const KINDS = [
  { value: "token bucket", label: "Token bucket" },
  { value: "fixed window", label: "Fixed window" },
] satisfies { value: Kind; label: string }[];

/** What to write for what the page does now. */
export function SampleCode({ settings, count, reserve }: Props) {
  const [kind, setKind] = useState<Kind>("token bucket");
  const config = configOf(kind, settings);
  const warning = warningOf(config, count, reserve);
  return (
    <article className="card sample" aria-label="Your code">
      <header className="sample-head">
        <h3>Your code</h3>
        <Segmented
          label="Kind in the code"
          options={KINDS}
          value={kind}
          onChange={setKind}
        />
      </header>
      <div className="sample-blocks">
        <CodeBlock
          title="convex/rateLimiter.ts"
          code={definitionCode(config)}
        />
        <div>
          <CodeBlock title="In your mutation" code={callCode(count, reserve)} />
          <p role="status" className="warning">
            {warning}
          </p>
        </div>
      </div>
    </article>
  );
}
