import { expect, inject, test } from "vitest";
import { api } from "../app/convex/_generated/api.js";
import { follow } from "../support/liveQuery.js";
import { newLiveClient, newVisitor } from "./visitor.js";

/** The limit `words` of `test/app`, which is held whole while `/words` sends. */
function newStream() {
  const { visitor: key } = newVisitor();
  const { until } = follow(newLiveClient(), api.verbs.getValue, {
    name: "words",
    key,
    config: { kind: "fixed window", rate: 1000, period: 3_600_000, start: 0 },
  });
  const open = (words: number, signal?: AbortSignal) => {
    const url = new URL(`/words?key=${key}&words=${words}`, inject("siteUrl"));
    return fetch(url, { signal });
  };
  return {
    open,
    untilLeft: (isSo: (value: number) => boolean) =>
      until(({ value }) => isSo(value)),
  };
}

test("an HTTP action settles a hold when its stream ends, after it has returned", async () => {
  const { open, untilLeft } = newStream();
  const response = await open(5);
  expect(await response.text()).toBe("word ".repeat(5));
  await untilLeft((left) => left === 0);
  await untilLeft((left) => left === 995);
});

test("an HTTP action whose reader has gone away runs to its end, and settles then", async () => {
  const { open, untilLeft } = newStream();
  const leaving = new AbortController();
  const response = await open(40, leaving.signal);
  await response.body!.getReader().read();
  await untilLeft((left) => left === 0);
  leaving.abort();
  // If a deployment told the action, less than 40 would be settled.
  await untilLeft((left) => left === 960);
});
