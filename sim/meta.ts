import type { Shown, Transaction } from "./transaction.js";

// What Convex allows a transaction.
const LIMITS = {
  bytesRead: 2 ** 24,
  databaseQueries: 4_096,
  documentsRead: 32_000,
  documentsWritten: 16_000,
};

/** `ctx.meta`, as far as one of the two packages asks it. */
export class Meta {
  constructor(
    private readonly transaction: Transaction,
    private readonly type: "query" | "mutation",
    private readonly look?: Shown,
  ) {}

  async getFunctionMetadata() {
    return { type: this.type };
  }

  getSnapshotTs() {
    return (this.look ?? this.transaction.snapshot).ts;
  }

  async getTransactionMetrics() {
    return new Metrics(this.transaction);
  }
}

/** Few ask for all of it, and sizes are slow to tell. */
class Metrics {
  constructor(private readonly transaction: Transaction) {}

  get bytesRead() {
    return metric("bytesRead", this.transaction.bytesRead);
  }

  get databaseQueries() {
    return metric("databaseQueries", this.transaction.counts.ranges);
  }

  get documentsRead() {
    const { rowsRead, rowsPeeked } = this.transaction.counts;
    return metric("documentsRead", rowsRead + rowsPeeked);
  }

  get documentsWritten() {
    return metric("documentsWritten", this.transaction.counts.rowsWritten);
  }
}

function metric(name: keyof typeof LIMITS, used: number) {
  return { used, remaining: LIMITS[name] - used };
}
