import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { OWN_LIMITS } from "../../src/dashboard/access.js";
import {
  inComponent,
  type Host,
  MIDNIGHT,
  useStillClock,
} from "../support/host.js";
import { rateLimiter, SECRET, startDashboard, take } from "./dashboard.js";
import { FUZZ_TIMEOUT_MS, requestsOf } from "./requests.js";

useStillClock();

const { aRequest, isLetIn, answered, run } = requestsOf({
  secret: SECRET,
  bucket: "message",
  window: "invite",
  concurrency: "render",
  now: MIDNIGHT,
});

/** An app in use: keys that are limited, leases, a ban. */
async function startUsed(): Promise<Host> {
  const t = startDashboard();
  for (const key of ["ada", "bob"]) {
    await take(t, key, 4);
    await t.mutation(async (ctx) => {
      await rateLimiter.hold(ctx, "render", { key });
      await rateLimiter.setOverride(ctx, "invite", { key, deny: true });
    });
  }
  return t;
}

type Stored = { name?: string; key?: string };

/** The balances, overrides and leases of the limits that the page shows, by limit and key. */
async function states(t: Host): Promise<Map<string, string>> {
  const all = await inComponent(t, async ({ db }) => {
    const tables = ["rateLimits", "overrides", "holds", "sweeps"] as const;
    return (
      await Promise.all(tables.map((table) => db.query(table).collect()))
    ).flat();
  });
  const states = new Map<string, string>();
  for (const row of all as Stored[]) {
    if (OWN_LIMITS.includes(row.name ?? "")) continue;
    const id = JSON.stringify([row.name, row.key]);
    states.set(id, (states.get(id) ?? "") + JSON.stringify(row));
  }
  return states;
}

/** Whether an action may have changed this limit and key. */
function mayChange(body: string, id: string): boolean {
  const {
    ask,
    limit,
    key,
    id: hold,
  } = JSON.parse(body) as Record<string, unknown>;
  const [name, ofKey] = JSON.parse(id) as [string, string | null];
  if (ask === "forget") return key === ofKey;
  if (ask === "resetAll") return limit === name;
  if (ask === "release") return limit === name && typeof hold === "string";
  return (
    ["reset", "ban", "penalize", "lift", "change", "clear"].includes(
      ask as string,
    ) &&
    limit === name &&
    (key ?? null) === ofKey
  );
}

test(
  "whatever is asked of the dashboard's routes, nothing fails, leaks, or changes unless an operator asks",
  { timeout: FUZZ_TIMEOUT_MS },
  async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => logged.mockRestore());
    const property = fc.asyncProperty(
      fc.array(aRequest, { minLength: 1, maxLength: 8 }),
      async (requests) => {
        const t = await startUsed();
        let before = await states(t);
        for (const sent of requests) {
          const status = await answered(
            (path, init) => t.fetch(path, init),
            sent,
          );
          expect(logged.mock.calls).toEqual([]);
          const after = await states(t);
          const ids = new Set([...before.keys(), ...after.keys()]);
          const changed = [...ids].filter(
            (id) => before.get(id) !== after.get(id),
          );
          const may =
            status === 200 && isLetIn(sent)
              ? changed.filter((id) => mayChange(sent.body, id))
              : [];
          expect(changed).toEqual(may);
          before = after;
        }
      },
    );
    await run(property, 25);
  },
);
