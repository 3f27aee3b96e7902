import { formatTokens } from "../format.js";
import type { Colors } from "./colors.js";
import { roundScale } from "./scale.js";

/** An axis of tokens: round ticks, and zero among them. */
export function balanceAxis(
  lowest: number,
  highest: number,
  { muted, line }: Colors,
) {
  return {
    type: "value",
    ...roundScale(lowest, highest),
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: {
      color: muted,
      fontSize: 11,
      hideOverlap: true,
      formatter: formatTokens,
    },
    splitLine: { lineStyle: { color: line } },
  };
}

/** What a chart says of the thing under the mouse. */
export function tooltip<Params>(
  { card, line, text }: Colors,
  formatter: (params: Params) => string,
) {
  return {
    trigger: "item",
    formatter,
    backgroundColor: card,
    borderColor: line,
    textStyle: { color: text, fontSize: 12 },
  };
}
