import { useEffect, useState } from "react";

/** How long "Copied" stays. */
const SHOWN_MS = 2000;

export function CopyButton({ text }: { text: string }) {
  const [result, setResult] = useState<"copied" | "failed">();
  useEffect(() => {
    if (result === undefined) return;
    const timeout = setTimeout(() => setResult(undefined), SHOWN_MS);
    return () => clearTimeout(timeout);
  }, [result]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setResult("copied"),
      () => setResult("failed"),
    );
  };
  return (
    <>
      <button type="button" className="quiet" onClick={copy}>
        Copy code
      </button>
      <span role="status" className="copy-result">
        {result === "copied" && "Copied"}
        {result === "failed" && "Select it to copy"}
      </span>
    </>
  );
}
