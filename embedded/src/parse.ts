/**
 * What clients send, checked once, as it arrives. What has passed here has the types that it claims
 * to have.
 */
import type { JSONValue } from "convex/values";
import {
  decodeTs,
  type ClientMessage,
  type QuerySetChange,
} from "./protocol.js";

/** What no client of Convex would send. Whoever sent it is told, with this HTTP status. */
export class Malformed extends Error {
  constructor(
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

/** The most bytes of a message or of a body: what a deployment takes as arguments. */
export const MAX_BYTES = 16 * 2 ** 20;

type Fields = Record<string, unknown>;

/** @throws A {@link Malformed} that says what is wrong with the message. */
export function parseMessage(text: string): ClientMessage {
  const message = objectOf(parseJson(text), "The message");
  const { type } = message;
  switch (type) {
    case "Connect":
      return { type, sessionId: textOf(message, "sessionId") };
    case "ModifyQuerySet":
      return {
        type,
        baseVersion: indexOf(message, "baseVersion"),
        newVersion: indexOf(message, "newVersion"),
        modifications: listOf(message, "modifications").map(toChange),
      };
    case "Mutation":
    case "Action":
      return {
        type,
        requestId: indexOf(message, "requestId"),
        ...toCall(message),
      };
    case "Authenticate":
      return { type, ...toCredentials(message) };
    case "Event":
      return { type };
    default:
      throw new Malformed("The message has an unknown type.");
  }
}

/** The body of a call over HTTP. `ts` is the time to query at. */
export type CallBody = { path: string; args: JSONValue; ts?: bigint };

/**
 * Clients send the arguments in a list; people who use curl send them as they are.
 *
 * @throws A {@link Malformed} that says what is wrong with the body.
 */
export function parseCall(text: string): CallBody {
  const body = objectOf(parseJson(text), "The body");
  const { args = {}, ts } = body;
  return {
    path: textOf(body, "path"),
    args: Array.isArray(args) ? onlyArgument(args) : toArgs(args),
    ...(ts !== undefined && { ts: toTs(ts) }),
  };
}

function toChange(json: unknown): QuerySetChange {
  const change = objectOf(json, "A modification");
  const { type } = change;
  const queryId = indexOf(change, "queryId");
  if (type === "Add") return { type, queryId, ...toCall(change) };
  if (type === "Remove") return { type, queryId };
  throw new Malformed("A modification has an unknown type.");
}

function toCall(fields: Fields): { path: string; args: JSONValue } {
  return {
    path: textOf(fields, "udfPath"),
    args: onlyArgument(listOf(fields, "args")),
  };
}

function onlyArgument(args: unknown[]): JSONValue {
  if (args.length > 1) throw new Malformed("args must have one element.");
  return toArgs(args.length === 0 ? {} : args[0]);
}

/** What was parsed as JSON is a `JSONValue`, however deep. */
const toArgs = (json: unknown) => objectOf(json, "args") as JSONValue;

function toCredentials(message: Fields) {
  const baseVersion = indexOf(message, "baseVersion");
  const { tokenType } = message;
  switch (tokenType) {
    case "None":
      return { baseVersion, tokenType };
    case "User":
    case "Admin":
      return { baseVersion, tokenType, value: textOf(message, "value") };
    default:
      throw new Malformed("tokenType must be User, Admin or None.");
  }
}

function toTs(json: unknown): bigint {
  const ts = typeof json === "string" ? decodeTs(json) : undefined;
  if (ts === undefined) throw new Malformed("ts must be 8 bytes in base64.");
  return ts;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Malformed("That is not JSON.");
  }
}

function objectOf(json: unknown, what: string): Fields {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) {
    return json as Fields;
  }
  throw new Malformed(`${what} must be an object.`);
}

function textOf(fields: Fields, name: string): string {
  const { [name]: value } = fields;
  if (typeof value === "string") return value;
  throw new Malformed(`${name} must be a string.`);
}

function listOf(fields: Fields, name: string): unknown[] {
  const { [name]: value } = fields;
  if (Array.isArray(value)) return value;
  throw new Malformed(`${name} must be a list.`);
}

/** An unsigned integer of 32 bits, as the protocol's ids and versions are. */
function indexOf(fields: Fields, name: string): number {
  const { [name]: value } = fields;
  if (typeof value === "number" && value >>> 0 === value) return value;
  throw new Malformed(`${name} must be an unsigned integer.`);
}
