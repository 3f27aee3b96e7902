import type { Answer } from "../../src/dashboard/answer.js";
import type { Ask, Asked } from "../../src/dashboard/asked.js";

/** Why there is no answer. */
export type Failure =
  /** Nothing came back: no network, or no server. */
  | { kind: "offline" }
  /** The secret is wrong, or the app does not let this operator in. */
  | { kind: "refused"; status: number }
  /** The server failed, or it says what is wrong with what was asked: then asking again is no use. */
  | { kind: "failed"; message: string; isMistake: boolean };

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
  const { status, isRefusal, body } = await send(token, JSON.stringify(asked));
  if (isRefusal) throw new Failed({ kind: "refused", status });
  if (status === 200 && "now" in body) {
    const answer = body as Answer<Which>;
    setServerTime(answer.now, sentAt, Date.now());
    return answer;
  }
  // What is not the dashboard's has other words, or none.
  const { error } = body as { error?: unknown };
  const isOwn = typeof error === "string";
  throw new Failed({
    kind: "failed",
    message: isOwn ? error : `The server answered ${status}.`,
    isMistake: isOwn && status === 400,
  });
}

/** After this long a server that says nothing is taken to be away. */
const PATIENCE_MS = 15_000;

async function send(
  token: string,
  body: string,
): Promise<{ status: number; isRefusal: boolean; body: object }> {
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
    const { status, headers } = response;
    // Whoever answers 401 wants other credentials. The others can be the platform's, and pass.
    const isRefusal = status === 401 || headers.has("Refused-By");
    return { status, isRefusal, body: parse(await response.text()) };
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

/**
 * The fastest answer tells the server's clock best, for as long as it fits what later ones tell:
 * one of both clocks may have been set.
 */
function setServerTime(now: number, sentAt: number, receivedAt: number): void {
  const took = receivedAt - sentAt;
  // A negative one was measured by a clock that was set back meanwhile.
  if (took < 0) return;
  const fits = offset >= now - receivedAt - 1 && offset <= now - sentAt + 1;
  if (fits && took > roundTrip) return;
  roundTrip = took;
  offset = now - (sentAt + took / 2);
}

/** The server's time, as far as this page knows it. */
export function serverNow(): number {
  return Date.now() + offset;
}
