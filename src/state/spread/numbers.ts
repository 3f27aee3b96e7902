/* All numbers that decide when a limit is split, and which of its rows serve a call. */

/** How many writes at a time a row bears: about this share of the calls then conflicts. */
export const BEARABLE = 0.15;

/**
 * If what refills cannot keep a row busier than that, it is split once this many writes in turn are
 * close: each began sooner after the one before than that took. One such coincidence happens to any
 * key.
 */
export const CLOSE_WRITES = 2;

/** Row 0 is split into at most this many parts, and each of its parts into this many times as many. */
export const MOST_PARTS = 8;

/** About how long after its commit a write becomes visible to others, in ms. */
export const UNSEEN_MS = 5;

/**
 * The fewest tokens of a part. One with less is empty after one grant, and to look for a token
 * elsewhere costs more than the split saves.
 */
export const FEWEST_TOKENS = 2;

/** A part holds what calls of one token may take from it in this many ms, if a row bears no more. */
export const STOCK_MS = 1000;

/** The same for a fixed window, since a part that is empty stays so until the next one. */
export const WINDOW_STOCK_MS = 2000;

/** Without `shards`, only a limit with more tokens than this is split. */
export const FEW_TOKENS = 20;

/** A limit is in use if one of its rows was written within this many ms. */
export const IN_USE_MS = 1000;

/** Rows recall for this many ms that calls overlapped, and how long a write took. */
export const RECALL_MS = 5000;

/** A busy limit grants by a look only if more than this share of its rows holds the count. */
export const FREE_SHARE = 3 / 8;
