import { CopyButton } from "./CopyButton.js";

type Props = { title: string; code: string };

/** Code to copy. */
export function CodeBlock({ title, code }: Props) {
  return (
    <figure className="code-block">
      <figcaption>
        <span>{title}</span>
        <CopyButton text={code} label={`Copy ${title}`} />
      </figcaption>
      {/* Focusable, so that the keyboard can scroll it. */}
      <pre className="code" tabIndex={0} aria-label={title}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
