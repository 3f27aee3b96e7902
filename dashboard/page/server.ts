import type { Answer } from "../../src/dashboard/answer.js";
import type { Ask, Asked } from "../../src/dashboard/asked.js";

/** Why there is no answer. */
export type Failure =
  /** Nothing came back: no network, or no server. */
  | { kind: "offline" }
  /** The secret is wrong, or the app does not let this operator in. */
  | { kind: "refused"; status: number }
  /** The server failed. If `isMistake`, the question was at fault, and asking again is no use. */
  | { kind: "failed"; message: string; isMistake: boolean };

export class Failed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.kind);
  }
}

/** Asks the server, in the body of a POST, so that no key appears in an address. */
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
  // An answer that is not the dashboard's own has no such field.
  const { error } = body as { error?: unknown };
  const isOwn = typeof error === "string";
  throw new Failed({
    kind: "failed",
    message: isOwn ? error : `The server answered ${status}.`,
    isMistake: isOwn && status === 400,
  });
}

/** A server that has not answered by then counts as unreachable. */
const TIMEOUT_MS = 15_000;

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
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status, headers } = response;
    // A 401 always asks for other credentials. Other refusals can be the platform's, and temporary.
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
 * Corrects `offset`. The fastest answer so far tells the server's time best. It is dropped when a
 * later answer contradicts it, since one of the two clocks may have been set.
 */
function setServerTime(now: number, sentAt: number, receivedAt: number): void {
  const took = receivedAt - sentAt;
  // The clock was set back meanwhile.
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
