import { HEAT, lastWrite } from "./heat.js";
import type { Leaf } from "./tree.js";

/**
 * How many rows are enough for a limit, judged by when its rows were last written. Undefined if
 * that is not much fewer than it has, or if it is too busy to gather them.
 */
export function fewerRows(
  leaves: readonly Leaf[],
  now: number,
): number | undefined {
  const { bearable, spare, restMs, mostWrites, shrinkTo } = HEAT;
  const rests: number[] = [];
  let heat = 0;
  let tookMs = 0;
  for (const { row } of leaves) {
    const last = lastWrite(row, now);
    if (last === undefined || last.restMs > restMs) continue;
    rests.push(last.restMs);
    tookMs += last.tookMs;
    const { calm = HEAT.longest } = row!;
    if (calm < 1 / (4 * bearable)) heat += 1 / Math.max(0.1, calm);
  }
  const lately = rests.filter((rest) => rest < 1000).length;
  if (lately > mostWrites) return undefined;
  const meanMs = tookMs / (rests.length || 1);
  const atOnce = (mostWithinSecond(rests) * meanMs) / 1000;
  const wanted = Math.max(
    1,
    Math.ceil((spare * Math.max(heat, atOnce)) / bearable),
  );
  const most = Math.max(1, leaves.length * shrinkTo);
  return wanted <= most && wanted < leaves.length ? wanted : undefined;
}

/** The most of these times, in ms, that lie within one second of each other: a burst. */
function mostWithinSecond(times: number[]): number {
  const inOrder = times.sort((a, b) => a - b);
  let most = 0;
  let from = 0;
  for (const [to, time] of inOrder.entries()) {
    while (time - inOrder[from]! > 1000) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
}
