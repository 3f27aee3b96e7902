import type { VisibleState, Transaction } from "./transaction.js";

// What Convex allows in a transaction.
const LIMITS = {
  bytesRead: 2 ** 24,
  databaseQueries: 4_096,
  documentsRead: 32_000,
  documentsWritten: 16_000,
};

/** The part of `ctx.meta` that the two packages use. */
export class Meta {
  constructor(
    private readonly transaction: Transaction,
    private readonly type: "query" | "mutation",
    private readonly look?: VisibleState,
  ) {}

  async getFunctionMetadata() {
    return { type: this.type };
  }

  getSnapshotTs() {
    return (this.look ?? this.transaction.snapshot).ts;
  }

  async getTransactionMetrics() {
    this.transaction.counts.metrics++;
    return new Metrics(this.transaction);
  }
}

/** Getters, since sizes are slow to compute. */
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
