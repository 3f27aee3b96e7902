import { expect, test } from "vitest";
import { api } from "../../demo/convex/_generated/api.js";
import { follow, newLiveClient, newVisitor } from "./visitor.js";

test("reserved work runs when its token exists, not before, in order", async () => {
  const { session, http } = newVisitor();
  const labels = ["first", "second", "third"];
  const due: number[] = [];
  for (const label of labels) {
    const added = await http.mutation(api.jobs.add, { session, label });
    if (!added.ok) throw new Error(`The ${label} job was refused.`);
    due.push(added.dueAt);
  }
  expect(due.map((dueAt) => dueAt - due[0]!)).toEqual([0, 2_000, 4_000]);
  const jobs = await follow(newLiveClient(), api.jobs.list, { session }).until(
    (jobs) => jobs.every(({ ranAt }) => ranAt !== undefined),
  );
  expect(jobs.map(({ label }) => label).reverse()).toEqual(labels);
  for (const { ranAt, dueAt } of jobs) {
    expect(ranAt).toBeGreaterThanOrEqual(dueAt);
  }
});

test("cancelled work does not run, and its token is there for the next", async () => {
  const { session, http } = newVisitor();
  const add = async (label: string) => {
    const added = await http.mutation(api.jobs.add, { session, label });
    if (!added.ok) throw new Error(`The ${label} job was refused.`);
    return added;
  };
  await add("first");
  const { id, dueAt } = await add("second");
  expect(await http.mutation(api.jobs.cancel, { session, id })).toEqual({
    cancelled: true,
  });
  expect((await add("third")).dueAt).toBe(dueAt);
  const jobs = await follow(newLiveClient(), api.jobs.list, { session }).until(
    (jobs) => jobs[0]?.ranAt !== undefined,
  );
  expect(jobs.map(({ label, ranAt }) => [label, ranAt !== undefined])).toEqual([
    ["third", true],
    ["second", false],
    ["first", true],
  ]);
});
