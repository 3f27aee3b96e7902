import type { Transaction } from "./transaction.js";

// What Convex allows a transaction.
const LIMITS = {
  bytesRead: 2 ** 24,
  databaseQueries: 4_096,
  documentsRead: 32_000,
  documentsWritten: 16_000,
  functionsScheduled: 1_000,
};

/** `ctx.meta`, as far as a limiter can want to know it. */
export class Meta {
  constructor(
    private readonly transaction: Transaction,
    private readonly type: "query" | "mutation",
  ) {}

  async getFunctionMetadata() {
    return { type: this.type };
  }

  getSnapshotTs() {
    return this.transaction.snapshotTs;
  }

  async getTransactionMetrics() {
    const { counts, bytesRead } = this.transaction;
    const metric = (name: keyof typeof LIMITS, used: number) => ({
      [name]: { used, remaining: LIMITS[name] - used },
    });
    return {
      ...metric("bytesRead", bytesRead),
      ...metric("databaseQueries", counts.ranges),
      ...metric("documentsRead", counts.rowsRead + counts.rowsPeeked),
      ...metric("documentsWritten", counts.rowsWritten),
      ...metric("functionsScheduled", counts.scheduled),
    };
  }
}
