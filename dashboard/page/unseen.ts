/** Part of a text: as it is, or a code for characters that nobody can see. */
export type Piece = { text: string; isCode: boolean };

/**
 * Spaces at an end or in a row; characters without a shape or width, or that change the writing
 * direction; and combining marks that would attach to what precedes the text, or pile up over
 * other lines. Emoji keep their joiners.
 */
const INVISIBLE =
  /^ +| +$| {2,}|(?<=^|\p{M}{3})\p{M}|(?!(?<=\p{ExtPict})\ufe0f|(?<=\p{ExtPict}\ufe0f?|\p{EMod})\u200d(?=\p{ExtPict}))((?! )[\p{C}\p{Z}\p{DI}\u2800])\1*/gu;

/** A text in pieces that can all be seen. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: unseen, index } of text.matchAll(INVISIBLE)) {
    if (index > end)
      pieces.push({ text: text.slice(end, index), isCode: false });
    pieces.push({ text: codeOf(unseen), isCode: true });
    end = index + unseen.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isCode: false });
  return pieces;
}

/** `space`, `space×3`, `U+202E`: one character and how often it repeats. */
function codeOf(unseen: string): string {
  const code = unseen.codePointAt(0)!;
  const times = unseen.length / String.fromCodePoint(code).length;
  const name =
    unseen[0] === " "
      ? "space"
      : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return times === 1 ? name : `${name}×${times}`;
}

const MAX_UNITS = 80;
const HEAD = 50;
const TAIL = 20;

/** Whether a text is too long to stand among other words. */
export const isLong = (text: string) => unitsOf(text).length > MAX_UNITS;

/** The pieces of a text. Of a long one only its beginning and end, and how much is between. */
export function foldedPiecesOf(text: string): Piece[] {
  const units = unitsOf(text);
  if (units.length <= MAX_UNITS) return piecesOf(text);
  const left = units.length - HEAD - TAIL;
  return joined([
    ...units.slice(0, HEAD),
    { text: `… ${left} more …`, isCode: true },
    ...units.slice(-TAIL),
  ]);
}

/** One piece for each visible character and each code. */
function unitsOf(text: string): Piece[] {
  return piecesOf(text).flatMap((piece) =>
    piece.isCode
      ? [piece]
      : Array.from(piece.text, (unit) => ({ text: unit, isCode: false })),
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

/** A text for places without markup, such as a title. It cannot reverse the text around it. */
export function plain(text: string): string {
  const seen = foldedPiecesOf(text)
    .map((piece) => (piece.isCode ? `⟨${piece.text}⟩` : piece.text))
    .join("");
  return /^[ -~]*$/.test(seen) ? seen : `\u2068${seen}\u2069`;
}
