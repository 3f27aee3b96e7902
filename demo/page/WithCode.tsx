import type { ReactNode } from "react";
import { Code, type CodeFile } from "./Code.js";

type Props = { files: readonly CodeFile[]; children: ReactNode };

/** What one can do, beside the code that does it, if there is any. */
export function WithCode({ files, children }: Props) {
  if (files.length === 0) return children;
  return (
    <div className="with-code">
      {children}
      <Code files={files} />
    </div>
  );
}
