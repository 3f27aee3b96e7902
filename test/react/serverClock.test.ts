import { expect, test, vi } from "vitest";
import { VirtualTiming } from "./virtualTiming.js";
import { serverClock, type ServerClock } from "../../src/react/serverClock.js";

const HOUR = 3_600_000;
const NOON = 1_700_000_000_000;

/** A server whose clock is `ahead` of the browser's, behind a slow network. */
class FakeServer {
  readonly timing = new VirtualTiming(NOON);
  readonly listeners = new Set<() => void>();
  state = { isWebSocketConnected: true, connectionCount: 1 };
  /** One for each question to the server. */
  readonly questions: {
    answer: (time: number) => void;
    fail: (error: Error) => void;
  }[] = [];
  readonly clock: ServerClock;

  constructor(public ahead = HOUR) {
    this.clock = serverClock(
      () =>
        new Promise((answer, fail) => this.questions.push({ answer, fail })),
      {
        connectionState: () => this.state,
        subscribeToConnectionState: (listener) => {
          this.listeners.add(listener);
          return () => this.listeners.delete(listener);
        },
      },
      this.timing,
    );
  }

  /** A server that somebody listens to. */
  static listened(): FakeServer {
    const server = new FakeServer();
    server.clock.subscribe(() => {});
    return server;
  }

  /** The last question travels `up` ms, and its answer `down` ms. */
  async reply(up: number, down: number): Promise<void> {
    this.timing.pass(up);
    const time = this.timing.now() + this.ahead;
    this.timing.pass(down);
    this.questions.at(-1)!.answer(time);
    await settled();
  }

  /** The browser's clock is set, while the server's goes on. */
  setBy(ms: number): void {
    this.timing.setBy(ms);
    this.ahead -= ms;
  }

  connection(state: Partial<FakeServer["state"]>): void {
    this.state = { ...this.state, ...state };
    for (const listener of this.listeners) listener();
  }
}

/** All promises that could be settled are. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test.each([
  { ahead: 0, up: 0, down: 0, offset: 0 },
  { ahead: HOUR, up: 0, down: 0, offset: HOUR },
  { ahead: -HOUR, up: 0, down: 0, offset: -HOUR },
  { ahead: HOUR, up: 200, down: 200, offset: HOUR },
  { ahead: -HOUR, up: 200, down: 200, offset: -HOUR },
  // Wrong by half of what the two ways differ by.
  { ahead: HOUR, up: 300, down: 100, offset: HOUR + 100 },
  { ahead: -HOUR, up: 100, down: 300, offset: -HOUR - 100 },
  { ahead: HOUR, up: 1000, down: 0, offset: HOUR + 500 },
  { ahead: 7, up: 1, down: 0, offset: 8 },
])(
  "a server $ahead ms ahead, $up ms away and $down ms back, is taken to be $offset ms ahead",
  async ({ ahead, up, down, offset }) => {
    const server = new FakeServer(ahead);
    const listener = vi.fn();
    server.clock.subscribe(listener);
    expect(server.clock.getOffset()).toBe(0);
    await server.reply(up, down);
    expect(server.clock.getOffset()).toBe(offset);
    expect(listener).toHaveBeenCalledTimes(offset === 0 ? 0 : 1);
  },
);

test.each([
  { name: "not after 500 ms", first: 500, offset: HOUR + 250 },
  { name: "a faster one counts", first: 502, second: 500, offset: HOUR + 250 },
  {
    name: "a slower one does not count",
    first: 502,
    second: 600,
    offset: HOUR + 251,
  },
])("a slow measurement is repeated once: $name", async (trips) => {
  const server = FakeServer.listened();
  await server.reply(trips.first, 0);
  if (trips.second !== undefined) await server.reply(trips.second, 0);
  expect(server.questions).toHaveLength(trips.second === undefined ? 1 : 2);
  expect(server.clock.getOffset()).toBe(trips.offset);
});

test.each([
  { when: "on a quick measurement", first: 100, second: 200 },
  { when: "twice", first: 100, again: true, second: 200 },
  { when: "forward", first: 100, by: 30_000, second: 200 },
])(
  "a measurement during which the browser's clock is set is repeated: $when",
  async ({ first, again = false, by = -HOUR, second }) => {
    const server = new FakeServer();
    const listener = vi.fn();
    server.clock.subscribe(listener);
    for (let step = 0; step < (again ? 2 : 1); step++) {
      server.setBy(by);
      await server.reply(first, 0);
      expect(listener).not.toHaveBeenCalled();
    }
    await server.reply(second / 2, second / 2);
    expect(server.clock.getOffset()).toBe(server.ahead);
    expect(server.questions).toHaveLength(again ? 3 : 2);
  },
);

test("a clock set back while a slow measurement is repeated causes another one", async () => {
  const server = FakeServer.listened();
  await server.reply(1000, 0);
  server.setBy(-HOUR);
  await server.reply(100, 0);
  expect(server.clock.getOffset()).toBe(HOUR + 500);
  // Slower than the first, which was by another setting and says nothing any more.
  await server.reply(1500, 1500);
  expect(server.clock.getOffset()).toBe(2 * HOUR);
});

test("a slow measurement is not repeated without a listener", async () => {
  const server = new FakeServer();
  server.clock.subscribe(() => {})();
  await server.reply(2000, 0);
  expect(server.questions).toHaveLength(1);
});

test("nothing is measured without a listener", () => {
  expect(new FakeServer().questions).toHaveLength(0);
});

test("nothing is measured before there is a connection", async () => {
  const server = new FakeServer();
  server.state = { isWebSocketConnected: false, connectionCount: 0 };
  server.clock.subscribe(() => {});
  expect(server.questions).toHaveLength(0);
  server.timing.pass(5000);
  server.connection({ isWebSocketConnected: true, connectionCount: 1 });
  await server.reply(100, 100);
  expect(server.clock.getOffset()).toBe(HOUR);
});

test("a new connection is measured, other changes of the old one are not", async () => {
  const server = FakeServer.listened();
  await server.reply(100, 100);
  server.timing.pass(24 * HOUR);
  server.connection({});
  server.connection({ isWebSocketConnected: false });
  expect(server.questions).toHaveLength(1);
  server.ahead = 2 * HOUR;
  server.connection({ isWebSocketConnected: true, connectionCount: 2 });
  server.connection({});
  expect(server.questions).toHaveLength(2);
  await server.reply(100, 100);
  expect(server.clock.getOffset()).toBe(2 * HOUR);
});

test("an answer that waited out a broken connection does not count", async () => {
  const server = FakeServer.listened();
  const [first] = server.questions;
  server.connection({ isWebSocketConnected: false });
  server.timing.pass(HOUR);
  server.connection({ isWebSocketConnected: true, connectionCount: 2 });
  first!.answer(server.timing.now() + HOUR);
  await settled();
  expect(server.clock.getOffset()).toBe(0);
  await server.reply(100, 100);
  expect(server.clock.getOffset()).toBe(HOUR);
});

test("a failed measurement keeps the offset until the next connection", async () => {
  const server = new FakeServer();
  const listener = vi.fn();
  server.clock.subscribe(listener);
  await server.reply(0, 0);
  server.connection({ connectionCount: 2 });
  server.questions.at(-1)!.fail(new Error("no such function"));
  await settled();
  expect(server.clock.getOffset()).toBe(HOUR);
  server.ahead = 0;
  server.connection({ connectionCount: 3 });
  await server.reply(0, 0);
  expect(server.clock.getOffset()).toBe(0);
  expect(listener).toHaveBeenCalledTimes(2);
});

test("a client that throws at once fails the measurement", async () => {
  const clock = serverClock(
    () => {
      throw new Error("closed");
    },
    {
      connectionState: () => ({
        isWebSocketConnected: true,
        connectionCount: 1,
      }),
      subscribeToConnectionState: () => () => {},
    },
    new VirtualTiming(),
  );
  clock.subscribe(() => {});
  await settled();
  expect(clock.getOffset()).toBe(0);
});

test.each([
  { event: "a short nap", ms: 60_000, questions: 1 },
  { event: "a sleep", ms: 60_001, questions: 2 },
])(
  "after $event of $ms ms, $questions measurements were made",
  async ({ ms, questions }) => {
    const server = FakeServer.listened();
    await server.reply(0, 0);
    server.timing.sleep(ms);
    server.timing.wake();
    expect(server.questions).toHaveLength(questions);
  },
);

test.each([
  { by: 500, questions: 1 },
  { by: 501, questions: 2 },
  { by: -501, questions: 2 },
  { by: 30_000, questions: 2 },
  { by: -HOUR, questions: 2 },
])(
  "after a clock was set by $by ms right after a measurement, there were $questions",
  async ({ by, questions }) => {
    const server = FakeServer.listened();
    await server.reply(0, 0);
    server.setBy(by);
    server.timing.wake();
    server.timing.wake();
    expect(server.questions).toHaveLength(questions);
    await server.reply(0, 0);
    server.timing.wake();
    expect(server.questions).toHaveLength(questions);
    expect(server.clock.getOffset()).toBe(HOUR - (questions === 2 ? by : 0));
  },
);

test("a clock set without a listener or connection is measured with the next one", async () => {
  const server = new FakeServer();
  const stop = server.clock.subscribe(() => {});
  await server.reply(0, 0);
  stop();
  server.setBy(30_000);
  server.clock.subscribe(() => {});
  expect(server.questions).toHaveLength(2);
  await server.reply(0, 0);
  server.connection({ isWebSocketConnected: false });
  server.setBy(30_000);
  server.timing.wake();
  expect(server.questions).toHaveLength(2);
  server.connection({ isWebSocketConnected: true });
  expect(server.questions).toHaveLength(3);
});

test("a page that wakes without a connection waits for it", () => {
  const server = FakeServer.listened();
  server.connection({ isWebSocketConnected: false });
  server.timing.sleep(HOUR);
  server.timing.wake();
  expect(server.questions).toHaveLength(1);
});

test("all listeners share a measurement, even those that come within a minute", async () => {
  const server = new FakeServer();
  const stops = [
    server.clock.subscribe(() => {}),
    server.clock.subscribe(() => {}),
  ];
  await server.reply(0, 0);
  for (const stop of stops) stop();
  server.timing.pass(60_000);
  server.clock.subscribe(() => {})();
  expect(server.questions).toHaveLength(1);
  server.timing.pass(1);
  server.clock.subscribe(() => {});
  expect(server.questions).toHaveLength(2);
  expect(server.clock.getOffset()).toBe(HOUR);
});

test("the last listener leaves no subscription behind", async () => {
  const server = new FakeServer();
  const stops = [
    server.clock.subscribe(() => {}),
    server.clock.subscribe(() => {}),
  ];
  expect([server.listeners.size, server.timing.wakeListeners.size]).toEqual([
    1, 1,
  ]);
  for (const stop of stops) stop();
  expect([server.listeners.size, server.timing.wakeListeners.size]).toEqual([
    0, 0,
  ]);
});
