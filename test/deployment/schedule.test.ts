import { expect, test } from "vitest";
import { api } from "../app/convex/_generated/api.js";
import { follow } from "../support/liveQuery.js";
import { newLiveClient, newVisitor } from "./visitor.js";

test("reserved work runs in order, never before its token exists", async () => {
  const { visitor: owner, http } = newVisitor();
  const labels = ["first", "second", "third"];
  const due: number[] = [];
  for (const label of labels) {
    due.push((await http.mutation(api.jobs.add, { owner, label })).dueAt);
  }
  expect(due.map((dueAt) => dueAt - due[0]!)).toEqual([0, 2_000, 4_000]);
  const jobs = await follow(newLiveClient(), api.jobs.list, { owner }).until(
    (jobs) => jobs.every(({ ranAt }) => ranAt !== undefined),
  );
  expect(jobs.map(({ label }) => label)).toEqual(labels);
  for (const [i, { ranAt }] of jobs.entries()) {
    expect(ranAt).toBeGreaterThanOrEqual(due[i]!);
  }
});

test("cancelled work does not run, and leaves its token to the next", async () => {
  const { visitor: owner, http } = newVisitor();
  const add = (label: string) => http.mutation(api.jobs.add, { owner, label });
  await add("first");
  const { scheduledId, dueAt } = await add("second");
  expect(await http.mutation(api.jobs.cancel, { scheduledId })).toEqual({
    cancelled: true,
  });
  expect((await add("third")).dueAt).toBe(dueAt);
  const jobs = await follow(newLiveClient(), api.jobs.list, { owner }).until(
    (jobs) => jobs[2]?.ranAt !== undefined,
  );
  expect(jobs.map(({ label, ranAt }) => [label, ranAt !== undefined])).toEqual([
    ["first", true],
    ["second", false],
    ["third", true],
  ]);
});
