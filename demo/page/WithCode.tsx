import { type ReactNode, useSyncExternalStore } from "react";
import { Code, type CodeFile } from "./Code.js";

/** Where there is room for two columns, as in `layout.css`. */
const wide = matchMedia("(width > 74rem)");

function subscribe(onChange: () => void): () => void {
  wide.addEventListener("change", onChange);
  return () => wide.removeEventListener("change", onChange);
}

type Props = { files: readonly CodeFile[]; children: ReactNode };

/** A part of the page with its code: beside it, or folded where there is no room. */
export function WithCode({ files, children }: Props) {
  const isWide = useSyncExternalStore(subscribe, () => wide.matches);
  if (files.length === 0) return children;
  return (
    <div className="with-code">
      {children}
      {isWide ? (
        <Code files={files} />
      ) : (
        <details className="fold">
          <summary>Code</summary>
          <Code files={files} />
        </details>
      )}
    </div>
  );
}
