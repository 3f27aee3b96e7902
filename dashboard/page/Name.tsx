import type { RateLimitOverride } from "../../src/client/index.js";
import { foldedPiecesOf, piecesOf, type Piece } from "./unseen.js";
import { effect, span } from "./words.js";

/** A stranger's text: it is all seen, and it cannot turn the text around it. */
export function Text({
  of,
  isWhole = true,
}: {
  of: string;
  isWhole?: boolean;
}) {
  const pieces: Piece[] = isWhole ? piecesOf(of) : foldedPiecesOf(of);
  return (
    <bdi>
      {pieces.map(({ text, isCode }, i) =>
        isCode ? (
          <span key={i} class="code">
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </bdi>
  );
}

/** A key, folded if it is long; what has none, or an empty one, looks like no key. */
export function KeyName({
  of,
  isWhole = false,
}: {
  of: string | undefined;
  isWhole?: boolean;
}) {
  if (of === undefined) return <em>all callers</em>;
  if (of === "") return <em>(empty key)</em>;
  return (
    <span class="name">
      <Text of={of} isWhole={isWhole} />
    </span>
  );
}

/** The name of a limit, folded if it is long. */
export function LimitName({
  of,
  isWhole = false,
}: {
  of: string;
  isWhole?: boolean;
}) {
  if (of === "") return <em>(empty name)</em>;
  return <Text of={of} isWhole={isWhole} />;
}

/** `Banned until 05:10 (Spam wave)`. */
export function Summary({ of, now }: { of: RateLimitOverride; now: number }) {
  const { note } = of;
  return (
    <>
      {effect(of)}
      {span(of, now)}
      {note !== undefined && (
        <>
          {" "}
          (<Text of={note} isWhole={false} />)
        </>
      )}
    </>
  );
}
