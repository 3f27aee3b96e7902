/** Part of a text: as it stands, or what stands for characters that nobody can see. */
export type Piece = { text: string; isCode: boolean };

/**
 * Spaces at the ends or in a row; whatever has no shape or width, or turns the direction of
 * what follows; and marks that would sit on what is before the text, or pile up over other
 * lines. Emoji keep their joiners.
 */
const UNSEEN =
  /^ +| +$| {2,}|(?<=^|\p{M}{3})\p{M}|(?!(?<=\p{ExtPict})\ufe0f|(?<=\p{ExtPict}\ufe0f?|\p{EMod})\u200d(?=\p{ExtPict}))((?! )[\p{C}\p{Z}\p{DI}\u2800])\1*/gu;

/** A text in pieces that can all be seen. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { 0: unseen, index } of text.matchAll(UNSEEN)) {
    if (index > at) pieces.push({ text: text.slice(at, index), isCode: false });
    pieces.push({ text: codeOf(unseen), isCode: true });
    at = index + unseen.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isCode: false });
  return pieces;
}

/** `space`, `space×3`, `U+202E`: one character, as often as it stands there. */
function codeOf(unseen: string): string {
  const code = unseen.codePointAt(0)!;
  const times = unseen.length / String.fromCodePoint(code).length;
  const name =
    unseen[0] === " "
      ? "space"
      : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return times === 1 ? name : `${name}×${times}`;
}

const MOST = 80;
const HEAD = 50;
const TAIL = 20;

/** Whether a text is too long to stand among other words. */
export const isLong = (text: string) => unitsOf(text).length > MOST;

/** The pieces of a text that is not long, else of its beginning and end, with how much is between. */
export function foldedPiecesOf(text: string): Piece[] {
  const units = unitsOf(text);
  if (units.length <= MOST) return piecesOf(text);
  const left = units.length - HEAD - TAIL;
  return joined([
    ...units.slice(0, HEAD),
    { text: `… ${left} more …`, isCode: true },
    ...units.slice(-TAIL),
  ]);
}

/** A piece for each character that is seen, and each code. */
function unitsOf(text: string): Piece[] {
  return piecesOf(text).flatMap((piece) =>
    piece.isCode
      ? [piece]
      : Array.from(piece.text, (text) => ({ text, isCode: false })),
  );
}

function joined(units: Piece[]): Piece[] {
  const pieces: Piece[] = [];
  for (const unit of units) {
    const last = pieces.at(-1);
    if (last === undefined || last.isCode || unit.isCode) {
      pieces.push({ ...unit });
    } else last.text += unit.text;
  }
  return pieces;
}

/** A text for where there is no markup, such as a title. It cannot turn the text around it. */
export function plain(text: string): string {
  const seen = foldedPiecesOf(text)
    .map(({ text, isCode }) => (isCode ? `⟨${text}⟩` : text))
    .join("");
  return /^[ -~]*$/.test(seen) ? seen : `\u2068${seen}\u2069`;
}
