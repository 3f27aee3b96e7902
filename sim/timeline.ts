import TinyQueue from "tinyqueue";

type Event = { at: number; order: number; run: () => void | Promise<void> };

/** Virtual time in ms from 0. Events of one instant run in the order of their making. */
export class Timeline {
  now = 0;
  private readonly events = new TinyQueue<Event>(
    [],
    (a, b) => a.at - b.at || a.order - b.order,
  );
  private made = 0;

  after(delay: number, run: Event["run"]): void {
    this.at(this.now + delay, run);
  }

  at(at: number, run: Event["run"]): void {
    this.events.push({ at, order: this.made++, run });
  }

  /** Runs event after event, as long as there is one and `goesOn` says so. */
  async run(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      const event = this.events.pop();
      if (event === undefined) return;
      this.now = event.at;
      const running = event.run();
      if (running !== undefined) await running;
    }
  }
}
