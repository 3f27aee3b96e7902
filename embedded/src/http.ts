import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer, text } from "node:stream/consumers";
import type { JSONValue } from "convex/values";
import type { Backend, Caller, FunctionResult } from "./backend.js";
import { anonymousCaller, identityFromToken } from "./caller.js";
import { decodeTs, encodeTs } from "./protocol.js";

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "POST, OPTIONS",
  "Access-Control-Allow-Headers": "Content-Type, Authorization, Convex-Client",
  "Access-Control-Max-Age": "86400",
};

type CallBody = { path: string; args: JSONValue; ts: string };

/** Answers one HTTP request: Convex's own API under `/api/`, the app's HTTP actions elsewhere. */
export async function serveHttp(
  backend: Backend,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const answer = isApi(request.url)
      ? await answerApi(backend, request)
      : await answerSite(backend, request);
    response.statusCode = answer.status;
    for (const [name, value] of answer.headers) {
      response.appendHeader(name, value);
    }
    response.end(Buffer.from(await answer.arrayBuffer()));
  } catch (error) {
    response.writeHead(500, CORS).end(`${String(error)}\n`);
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

  let caller: Caller;
  let body: CallBody;
  try {
    caller = identified(request);
  } catch (error) {
    return reply(401, (error as Error).message);
  }
  try {
    body = parseBody(await text(request));
  } catch (error) {
    return reply(400, (error as Error).message);
  }

  switch (request.url) {
    case "/api/query":
      return replyOutcome(await backend.call("query", body, caller));
    case "/api/mutation":
      return replyOutcome(await backend.call("mutation", body, caller));
    case "/api/action":
      return replyOutcome(await backend.call("action", body, caller));
    case "/api/function":
      return replyOutcome(await backend.call("any", body, caller));
    case "/api/query_ts": {
      const { ts } = await backend.snapshot([], caller);
      return reply(200, JSON.stringify({ ts: encodeTs(ts) }));
    }
    case "/api/query_at_ts":
      return queryAt(backend, body, caller);
    default:
      return reply(404, `This server has no ${request.url}.\n`);
  }
}

/** No history is kept, so only the newest state's timestamp can be asked for. */
async function queryAt(
  backend: Backend,
  body: CallBody,
  caller: Caller,
): Promise<Response> {
  const { ts, outcomes } = await backend.snapshot([body], caller);
  const [outcome] = outcomes;
  if (outcome === undefined || ts !== decodeTs(body.ts)) {
    return reply(400, "Data has changed since that timestamp.\n");
  }
  return replyOutcome(outcome);
}

async function answerSite(
  backend: Backend,
  request: IncomingMessage,
): Promise<Response> {
  const { url = "/", method = "GET", headers } = request;
  const init: RequestInit = { method, headers: new Headers() };
  for (const [name, value] of Object.entries(headers)) {
    for (const part of [value ?? []].flat()) {
      (init.headers as Headers).append(name, part);
    }
  }
  if (method !== "GET" && method !== "HEAD") init.body = await buffer(request);
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
  if (scheme !== "Bearer") throw new Error("This server has no admin access.");
  return { ...caller, identity: identityFromToken(token) };
}

function parseBody(json: string): CallBody {
  const body = JSON.parse(json === "" ? "{}" : json) as {
    path?: string;
    args?: JSONValue;
    ts?: string;
  };
  const { path = "", args = {}, ts = "" } = body;
  // Clients send a list of one; people who use curl send the arguments themselves.
  return { path, args: Array.isArray(args) ? (args[0] ?? {}) : args, ts };
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
