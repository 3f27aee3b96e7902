import type { Value } from "convex/values";
import { holdsPlaceholder } from "./commitTs.js";
import type { Address, Reference } from "./components.js";
import { SCHEDULED } from "./store.js";
import type { JobState, Transaction } from "./transaction.js";

type Args = Record<string, unknown>;

/** What a scheduled function's record holds. */
export type ScheduledFunction = Address & {
  args: Args;
  scheduledTime: number;
  state: { kind: JobState };
};

/** `ctx.scheduler`. Its records take effect with the commit, like all writes of a mutation. */
export class Scheduler {
  constructor(
    private readonly transaction: Transaction,
    private readonly path: string,
  ) {}

  async runAfter(delayMs: number, reference: Reference, args?: Args) {
    return await this.runAt(this.transaction.now + delayMs, reference, args);
  }

  async runAt(at: number | Date, reference: Reference, args: Args = {}) {
    if (holdsPlaceholder(args as Value)) {
      throw new Error("a scheduled function cannot be given a placeholder");
    }
    return this.transaction.insert(SCHEDULED, {
      ...this.transaction.snapshot.mounts.address(this.path, reference),
      args: args as Value,
      scheduledTime: Number(at),
      state: { kind: "pending" },
    });
  }

  async cancel(id: string) {
    const range = this.transaction.rangeOf(id);
    const [record] = this.transaction.read(range, "asc", 1);
    if (record === undefined) throw new Error(`no document ${id}`);
    const { kind } = (record as unknown as ScheduledFunction).state;
    // Only the function itself sees that it is in progress.
    if (kind === "inProgress") {
      throw new Error("a mutation cannot cancel itself");
    }
    if (kind === "pending") this.transaction.setState(id, "canceled");
  }
}
