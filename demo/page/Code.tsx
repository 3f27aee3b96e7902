import { highlight } from "sugar-high";
import { useMemo, useState } from "react";
import { CopyButton } from "./CopyButton.js";
import { Segmented } from "./Segmented.js";

export type CodeFile = { name: string; text: string };

/** Files to read and to copy, one at a time. */
export function Code({ files }: { files: readonly CodeFile[] }) {
  const [chosen, setChosen] = useState(0);
  const { name, text } = files[chosen]!;
  const html = useMemo(
    () => highlight(text.trimEnd(), { lang: "typescript" }),
    [text],
  );
  return (
    <figure className="code">
      <figcaption>
        {files.length === 1 ? (
          name
        ) : (
          <Segmented
            label="File"
            options={files.map((file, i) => ({
              value: String(i),
              label: file.name.replace("convex/", ""),
            }))}
            value={String(chosen)}
            onChange={(value) => setChosen(Number(value))}
          />
        )}
        <CopyButton text={text} label={`Copy ${name}`} />
      </figcaption>
      {/* Focusable, so that the keyboard can scroll it. */}
      <pre tabIndex={0} aria-label={name}>
        {/* The repository's own text. */}
        <code dangerouslySetInnerHTML={{ __html: html }} />
      </pre>
    </figure>
  );
}
