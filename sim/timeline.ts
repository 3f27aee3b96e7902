import TinyQueue from "tinyqueue";

type Event = { time: number; order: number; run: () => void | Promise<void> };

/** Virtual time in ms from 0. Events of the same time run in the order in which they were added. */
export class Timeline {
  now = 0;
  private readonly events = new TinyQueue<Event>(
    [],
    (a, b) => a.time - b.time || a.order - b.order,
  );
  private made = 0;

  after(delay: number, run: Event["run"]): void {
    this.at(this.now + delay, run);
  }

  at(time: number, run: Event["run"]): void {
    this.events.push({ time, order: this.made++, run });
  }

  /** Runs one event after another while `goesOn` returns true and events are left. */
  async runWhile(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      const event = this.events.pop();
      if (event === undefined) return;
      this.now = event.time;
      const running = event.run();
      if (running !== undefined) await running;
    }
  }
}
