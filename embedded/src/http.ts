import type { IncomingMessage, ServerResponse } from "node:http";
import type { FunctionKind } from "./app.js";
import type { Backend, Caller, FunctionResult } from "./backend.js";
import { anonymousCaller, identityFromToken, isLocal } from "./caller.js";
import { type CallBody, Malformed, MAX_BYTES, parseCall } from "./parse.js";
import { encodeTs } from "./protocol.js";

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "POST, OPTIONS",
  "Access-Control-Allow-Headers": "Content-Type, Authorization, Convex-Client",
  "Access-Control-Max-Age": "86400",
};

const CALLS = new Map<string, FunctionKind | "any" | "at a time">([
  ["/api/query", "query"],
  ["/api/mutation", "mutation"],
  ["/api/action", "action"],
  ["/api/function", "any"],
  ["/api/query_at_ts", "at a time"],
]);

/** Methods that a `Request` cannot have. */
const FORBIDDEN_METHODS = ["CONNECT", "TRACE", "TRACK"];

/**
 * Answers one HTTP request: Convex's own API under `/api/`, the app's HTTP actions elsewhere.
 * Whatever fails in here is answered, too.
 */
export async function serveHttp(
  backend: Backend,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    if (!isLocal(request)) {
      throw new Malformed("Only pages of this machine may call.", 403);
    }
    const answer = isApi(request.url)
      ? await answerApi(backend, request)
      : await answerSite(backend, request);
    response.statusCode = answer.status;
    for (const [name, value] of answer.headers) {
      response.appendHeader(name, value);
    }
    response.end(Buffer.from(await answer.arrayBuffer()));
  } catch (error) {
    const status = error instanceof Malformed ? error.status : 500;
    // There may be more of the request, which nobody will read.
    response.writeHead(status, { ...CORS, Connection: "close" });
    response.end(`${String(error)}\n`);
  }
}

function isApi(url: string | undefined): boolean {
  return url?.startsWith("/api/") === true;
}

async function answerApi(
  backend: Backend,
  request: IncomingMessage,
): Promise<Response> {
  if (request.method === "OPTIONS") return reply(204, null);
  if (request.method !== "POST") return reply(405, "Use POST.\n");

  const caller = identified(request);
  const { url = "" } = request;
  if (url === "/api/query_ts") {
    const { ts } = await backend.snapshot([], caller);
    return reply(200, JSON.stringify({ ts: encodeTs(ts) }));
  }
  const kind = CALLS.get(url);
  if (kind === undefined) return reply(404, `This server has no ${url}.\n`);
  const body = parseCall((await bodyOf(request)).toString());
  return kind === "at a time"
    ? queryAt(backend, body, caller)
    : replyOutcome(await backend.call(kind, body, caller));
}

/** No history is kept, so only the newest state's timestamp can be asked for. */
async function queryAt(
  backend: Backend,
  body: CallBody,
  caller: Caller,
): Promise<Response> {
  const { ts, outcomes } = await backend.snapshot([body], caller);
  const [outcome] = outcomes;
  if (outcome === undefined || ts !== body.ts) {
    return reply(400, "Data has changed since that timestamp.\n");
  }
  return replyOutcome(outcome);
}

async function answerSite(
  backend: Backend,
  request: IncomingMessage,
): Promise<Response> {
  const { url = "/", method = "GET", headers } = request;
  if (!url.startsWith("/")) throw new Malformed("A path begins with a slash.");
  if (FORBIDDEN_METHODS.includes(method)) {
    throw new Malformed(`This server has no ${method}.`, 405);
  }
  const init: RequestInit = { method, headers: new Headers() };
  for (const [name, value] of Object.entries(headers)) {
    for (const part of [value ?? []].flat()) {
      (init.headers as Headers).append(name, part);
    }
  }
  if (method !== "GET" && method !== "HEAD") init.body = await bodyOf(request);
  let caller = anonymousCaller(request);
  try {
    caller = identified(request);
  } catch {
    // An HTTP action may have an Authorization scheme of its own.
  }
  return backend.fetch(url, init, caller);
}

function identified(request: IncomingMessage): Caller {
  const caller = anonymousCaller(request);
  const [scheme, token] = request.headers.authorization?.split(" ") ?? [];
  if (scheme === undefined || token === undefined) return caller;
  if (scheme !== "Bearer") {
    throw new Malformed("This server has no admin access.", 401);
  }
  return { ...caller, identity: identityFromToken(token) };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Otherwise an error would close the socket before it is answered.
  const kept = request.iterator({ destroyOnReturn: false });
  for await (const chunk of kept as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Malformed("The body is too long.", 413);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function replyOutcome(outcome: FunctionResult): Response {
  const body = outcome.ok
    ? { status: "success", value: outcome.value }
    : {
        status: "error",
        errorMessage: outcome.message,
        errorData: outcome.data,
      };
  return reply(200, JSON.stringify({ ...body, logLines: [] }));
}

function reply(status: number, body: string | null): Response {
  return new Response(body, { status, headers: CORS });
}
