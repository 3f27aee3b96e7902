import type { Answer } from "../../src/dashboard/answer.js";
import type { Ask, Asked } from "../../src/dashboard/asked.js";

/** Why there is no answer. */
export type Failure =
  /** Nothing came back: no network, or no server. */
  | { kind: "offline" }
  /** The secret is wrong, or the app does not let this operator in. */
  | { kind: "refused"; status: number }
  /** The server says what is wrong. */
  | { kind: "failed"; message: string };

export class Failed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.kind);
  }
}

/** Asks the server. What is asked is in the body, so that no key is in an address. */
export async function askServer<Which extends Ask>(
  token: string,
  asked: Asked<Which>,
): Promise<Answer<Which>> {
  const sentAt = Date.now();
  const { status, body } = await send(token, JSON.stringify(asked));
  if (status === 200) {
    const answer = body as Answer<Which>;
    setServerTime(answer.now, sentAt, Date.now());
    return answer;
  }
  if ([401, 403, 429, 503].includes(status)) {
    throw new Failed({ kind: "refused", status });
  }
  const { error } = body as { error?: string };
  const message = error ?? `The server answered ${status}.`;
  throw new Failed({ kind: "failed", message });
}

/** After this long a server that says nothing is taken to be away. */
const PATIENCE_MS = 15_000;

async function send(
  token: string,
  body: string,
): Promise<{ status: number; body: object }> {
  try {
    const response = await fetch(location.pathname, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(token !== "" && { Authorization: `Bearer ${token}` }),
      },
      body,
      cache: "no-store",
      credentials: "same-origin",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    return { status: response.status, body: parse(text) };
  } catch {
    throw new Failed({ kind: "offline" });
  }
}

function parse(text: string): object {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

let offset = 0;
let roundTrip = Infinity;

/** The fastest answer tells the server's clock best. */
function setServerTime(now: number, sentAt: number, receivedAt: number): void {
  const took = receivedAt - sentAt;
  // A negative one was measured by a clock that was set back meanwhile.
  if (took < 0 || took > roundTrip) return;
  roundTrip = took;
  offset = now - (sentAt + took / 2);
}

/** The server's time, as far as this page knows it. */
export function serverNow(): number {
  return Date.now() + offset;
}
