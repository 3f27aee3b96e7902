import { useContext } from "preact/hooks";
import type { RateLimitOverride } from "../../src/client/index.js";
import { Names } from "./session.js";
import { foldedPiecesOf, piecesOf, type Piece } from "./unseen.js";
import { describeOverride, describeTimes } from "./words.js";

/**
 * Text that somebody else wrote: all of it is visible, and it cannot reverse the text around it.
 */
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

/** A key, folded if it is long, and what the app calls it. Having no key, or an empty one, looks unlike any key. */
export function KeyName({
  of,
  isWhole = false,
}: {
  of: string | undefined;
  isWhole?: boolean;
}) {
  const name = useContext(Names).get(of ?? "");
  if (of === undefined) return <em>all callers</em>;
  if (of === "") return <em>(empty key)</em>;
  return (
    <span class="name">
      <Text of={of} isWhole={isWhole} />
      {name !== undefined && (
        <span class="muted">
          {" "}
          (<Text of={name} isWhole={false} />)
        </span>
      )}
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
      {describeOverride(of)}
      {describeTimes(of, now)}
      {note !== undefined && (
        <>
          {" "}
          (<Text of={note} isWhole={false} />)
        </>
      )}
    </>
  );
}
