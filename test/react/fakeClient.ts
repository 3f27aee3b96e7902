import type { ConvexReactClient, Watch } from "convex/react";
import type { Value } from "convex/values";
import type { GetValueReturns } from "../../src/core/value.js";

/**
 * What the hooks use of a `ConvexReactClient`, in front of a server whose clock is
 * `ahead` of this process's and whose messages travel `up` and `down` ms.
 */
export class FakeClient {
  ahead = 0;
  up = 0;
  down = 0;
  /** How often the server's time was requested. */
  asked = 0;
  state = { isWebSocketConnected: true, connectionCount: 1 };
  readonly connectionListeners = new Set<() => void>();
  /** Who watches the query, with the arguments as JSON. */
  readonly queryListeners = new Map<() => void, string>();
  private readonly answers = new Map<string, GetValueReturns>();

  /** For `ConvexProvider`, which wants the class. */
  get client(): ConvexReactClient {
    return this as unknown as ConvexReactClient;
  }

  /** The server's clock. */
  now(): number {
    return Date.now() + this.ahead;
  }

  /** The query's answer to these arguments, from now on. */
  answer(value: GetValueReturns, args: Record<string, Value> = {}): void {
    const id = JSON.stringify(args);
    this.answers.set(id, value);
    for (const [listener, watched] of this.queryListeners) {
      if (watched === id) listener();
    }
  }

  reconnect(): void {
    const { connectionCount } = this.state;
    for (const state of [
      { isWebSocketConnected: false, connectionCount },
      { isWebSocketConnected: true, connectionCount: connectionCount + 1 },
    ]) {
      this.state = state;
      for (const listener of this.connectionListeners) listener();
    }
  }

  watchQuery(_: unknown, args: Record<string, Value>): Watch<Value> {
    const id = JSON.stringify(args);
    return {
      onUpdate: (listener) => {
        this.queryListeners.set(listener, id);
        return () => void this.queryListeners.delete(listener);
      },
      localQueryResult: () => this.answers.get(id),
      journal: () => undefined,
    };
  }

  async mutation(): Promise<number> {
    this.asked += 1;
    await delay(this.up);
    const time = this.now();
    await delay(this.down);
    return time;
  }

  connectionState() {
    return this.state;
  }

  subscribeToConnectionState(listener: () => void): () => void {
    this.connectionListeners.add(listener);
    return () => void this.connectionListeners.delete(listener);
  }
}

async function delay(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
