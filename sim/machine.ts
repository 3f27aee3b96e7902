import TinyQueue from "tinyqueue";
import type { Timeline } from "./timeline.js";

type Done = () => void | Promise<void>;

/** Runs transactions side by side. If there are more than `cores`, they share these evenly. */
export class Machine {
  /** How much work each running transaction was given since the beginning, in ms. */
  private given = 0;
  private updatedAt = 0;
  private readonly running = new TinyQueue<{ endsAt: number; done: Done }>(
    [],
    (a, b) => a.endsAt - b.endsAt,
  );
  private changes = 0;

  constructor(
    private readonly timeline: Timeline,
    private readonly cores: number,
  ) {}

  /** Calls `done` once this much work is done. */
  run(workMs: number, done: Done): void {
    if (this.cores === Infinity) {
      this.timeline.after(workMs, done);
      return;
    }
    this.update();
    this.running.push({ endsAt: this.given + workMs, done });
    this.awaitNext();
  }

  private update(): void {
    const { now } = this.timeline;
    this.given += (now - this.updatedAt) * this.speed();
    this.updatedAt = now;
  }

  private awaitNext(): void {
    const next = this.running.peek();
    const change = ++this.changes;
    if (next === undefined) return;
    const leftMs = Math.max(0, next.endsAt - this.given);
    this.timeline.after(leftMs / this.speed(), () => {
      if (change !== this.changes) return;
      this.update();
      this.running.pop();
      this.awaitNext();
      return next.done();
    });
  }

  private speed(): number {
    return Math.min(1, this.cores / Math.max(1, this.running.length));
  }
}
