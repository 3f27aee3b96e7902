import type { MutationResponse } from "./protocol.js";

/** As many sessions are remembered, and as many mutations of each. */
const SESSIONS = 1_000;
const MUTATIONS_PER_SESSION = 10_000;

/**
 * The mutations of one client, in order, each run once: after a reconnect a client sends again
 * whatever it has not yet seen the effect of.
 */
export class Session {
  readonly #responses = new Map<number, Promise<MutationResponse>>();
  #last: Promise<unknown> = Promise.resolve();

  run(
    requestId: number,
    mutation: () => Promise<MutationResponse>,
  ): Promise<MutationResponse> {
    const known = this.#responses.get(requestId);
    if (known !== undefined) return known;
    const response = this.#last.then(mutation);
    this.#last = response.catch(() => undefined);
    this.#responses.set(requestId, response);
    dropOldest(this.#responses, MUTATIONS_PER_SESSION);
    return response;
  }
}

/** The sessions by the id that each client has chosen. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();

  open(sessionId: string): Session {
    const session = this.#sessions.get(sessionId) ?? new Session();
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, session);
    dropOldest(this.#sessions, SESSIONS);
    return session;
  }
}

function dropOldest<K>(map: Map<K, unknown>, size: number): void {
  for (const key of map.keys()) {
    if (map.size <= size) return;
    map.delete(key);
  }
}
