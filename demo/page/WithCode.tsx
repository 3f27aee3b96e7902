import type { ReactNode } from "react";
import { CodeBlock } from "./CodeBlock.js";

type Props = { title: string; code: string; children: ReactNode };

/** What one can do, beside the code that does it. */
export function WithCode({ title, code, children }: Props) {
  return (
    <div className="card with-code">
      <div>{children}</div>
      <CodeBlock title={title} code={code} />
    </div>
  );
}
