/** What a load has asked of one limit, and what is found of it in the end. */
export type Found = {
  name: string;
  /** The last answer that clients got, by the id of their request. */
  answers: ReadonlyMap<string, { ok: boolean }>;
  /** The ids of the app's rows: one for each grant. */
  grants: readonly string[];
  /** The tokens that have left the limit. Absent if some have come back since. */
  taken?: number;
  /** As many as the limit may have granted in the time that the load took. */
  mayGrant?: number;
  /** The ids of the jobs that have run, if each grant has one. */
  runs?: readonly string[];
};

/** What is wrong with it, in words: a token, a row, an answer or a job without its others. */
export function faultsOf(found: Found): string[] {
  const { name, answers, grants, taken, mayGrant, runs } = found;
  const faults: string[] = [];
  const report = (ids: readonly string[], what: string) => {
    if (ids.length > 0)
      faults.push(`${name}: ${ids.length} ${what}: ${ids[0]}`);
  };
  const rows = new Set(grants);
  report(repeatedIn(grants), "granted twice");
  const granted = [...answers].filter(([, { ok }]) => ok).map(([id]) => id);
  report(without(rows, granted), "told of a grant that has no row");
  report(without(new Set(granted), rows), "granted, but not told so");
  if (taken !== undefined && taken !== grants.length) {
    faults.push(
      `${name}: ${taken} tokens have left, for ${grants.length} rows`,
    );
  }
  if (mayGrant !== undefined && grants.length > mayGrant) {
    faults.push(
      `${name}: ${grants.length} granted, and at most ${mayGrant} may be`,
    );
  }
  if (runs !== undefined) {
    report(repeatedIn(runs), "run twice");
    report(without(new Set(runs), rows), "never run");
    report(without(rows, runs), "run without a grant");
  }
  return faults;
}

/** Those that come a second time. */
function repeatedIn(ids: readonly string[]): string[] {
  const seen = new Set<string>();
  return ids.filter((id) => seen.size === seen.add(id).size);
}

const without = (found: ReadonlySet<string>, ids: Iterable<string>) =>
  [...ids].filter((id) => !found.has(id));
