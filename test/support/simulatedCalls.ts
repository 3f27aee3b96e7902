import type { Component } from "../../sim/components.js";
import {
  Deployment,
  type CallAnswer,
  type Setting,
} from "../../sim/deployment.js";

export type Called = {
  time: number;
  name: string;
  args?: Record<string, unknown>;
};

/**
 * Calls functions at fixed times, on a simulated deployment whose transactions take 6 to 14 ms. A name without a
 * module is in `functions`. Returns their answers in the order of the calls.
 */
export async function callAll(
  app: Component,
  calls: readonly Called[],
  setting: Partial<Setting> = {},
) {
  const deployment = new Deployment({
    ...app,
    executionMs: 10,
    seed: 1,
    ...setting,
  });
  const answers: CallAnswer[] = [];
  calls.forEach(({ time, name, args = {} }, i) => {
    const fn = name.includes(":") ? name : `functions:${name}`;
    deployment.call(time, fn, args, (answer) => {
      answers[i] = answer;
    });
  });
  await deployment.run();
  return { deployment, answers };
}

/** What an answered call returned. */
export function value<T>(answer: CallAnswer | undefined): T {
  if (answer?.kind !== "answered" || "error" in answer.returned) {
    throw new Error(`no value: ${answer?.kind}`, { cause: answer });
  }
  return answer.returned.value as T;
}
