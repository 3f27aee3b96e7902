type Event = { at: number; order: number; run: () => void | Promise<void> };

/** Virtual time in ms from 0: a binary heap of events, those of one instant in the order of their making. */
export class Timeline {
  now = 0;
  private readonly heap: Event[] = [];
  private made = 0;

  after(delay: number, run: Event["run"]): void {
    this.at(this.now + delay, run);
  }

  at(at: number, run: Event["run"]): void {
    const event = { at, order: this.made++, run };
    const { heap } = this;
    let i = heap.push(event) - 1;
    while (i > 0) {
      const parent = (i - 1) >>> 1;
      if (!earlier(event, heap[parent]!)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = event;
  }

  async run(): Promise<void> {
    for (let event = this.next(); event !== undefined; event = this.next()) {
      this.now = event.at;
      const running = event.run();
      if (running !== undefined) await running;
    }
  }

  private next(): Event | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && earlier(right, heap[child]!)) child++;
      if (!earlier(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

function earlier(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
