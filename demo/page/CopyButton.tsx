import { useEffect, useState } from "react";

/** How long "Copied" stays. */
const SHOWN_MS = 2000;

type Props = {
  text: string;
  /** What is copied, for those who do not see what is next to the button. */
  label: string;
};

/** A line to copy. */
export function Copyable({ text, label }: Props) {
  return (
    <span className="copyable">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

export function CopyButton({ text, label }: Props) {
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
    <span className="copy">
      <button type="button" className="quiet" aria-label={label} onClick={copy}>
        Copy
      </button>
      <span role="status" className="copy-result">
        {result === "copied" && "Copied"}
        {result === "failed" && "Select it to copy"}
      </span>
    </span>
  );
}
