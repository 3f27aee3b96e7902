import { expect, test } from "vitest";
import { faultsOf, type Found } from "./oracle.js";

const answers = new Map([
  ["a", { ok: true }],
  ["b", { ok: true }],
  ["c", { ok: false }],
]);
const right: Found = {
  name: "jobs",
  answers,
  grants: ["a", "b"],
  taken: 2,
  mayGrant: 2,
  runs: ["b", "a"],
};

test("finds no fault in a load whose tokens, rows, answers and jobs agree", () => {
  expect(faultsOf(right)).toEqual([]);
});

type Case = { wrong: Partial<Found>; faults: string[] };

test.each`
  what                                    | wrong                                                                        | faults
  ${"a token without a row"}              | ${{ taken: 3 }}                                                              | ${["jobs: 3 tokens have left, for 2 rows"]}
  ${"a row without a token"}              | ${{ taken: 1 }}                                                              | ${["jobs: 1 tokens have left, for 2 rows"]}
  ${"more rows than the limit may grant"} | ${{ mayGrant: 1 }}                                                           | ${["jobs: 2 granted, and at most 1 may be"]}
  ${"an answer without a row"}            | ${{ grants: ["a"], taken: 1, runs: ["a"] }}                                  | ${["jobs: 1 told of a grant that has no row: b"]}
  ${"a row of a request that was denied"} | ${{ grants: ["a", "b", "c"], taken: 3, mayGrant: 3, runs: ["a", "b", "c"] }} | ${["jobs: 1 granted, but not told so: c"]}
  ${"a request that was granted twice"}   | ${{ grants: ["a", "b", "b"], taken: 3, mayGrant: 3 }}                        | ${["jobs: 1 granted twice: b"]}
  ${"a job that has run twice"}           | ${{ runs: ["a", "b", "a"] }}                                                 | ${["jobs: 1 run twice: a"]}
  ${"a job that was lost"}                | ${{ runs: ["a"] }}                                                           | ${["jobs: 1 never run: b"]}
  ${"a job without a grant"}              | ${{ runs: ["a", "b", "c"] }}                                                 | ${["jobs: 1 run without a grant: c"]}
`("finds $what", ({ wrong, faults }: Case) => {
  expect(faultsOf({ ...right, ...wrong })).toEqual(faults);
});
