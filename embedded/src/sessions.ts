import type { MutationResponse } from "./protocol.js";

/** How many sessions are remembered, and how many mutations of each. */
const MAX_SESSIONS = 1_000;
const MAX_MUTATIONS = 10_000;

/**
 * Runs the mutations of one client in order, each once: after a reconnect, a client sends again
 * whatever it has not seen the effect of.
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
    dropOldest(this.#responses, MAX_MUTATIONS);
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
    dropOldest(this.#sessions, MAX_SESSIONS);
    return session;
  }
}

function dropOldest<K>(map: Map<K, unknown>, size: number): void {
  for (const key of map.keys()) {
    if (map.size <= size) return;
    map.delete(key);
  }
}
