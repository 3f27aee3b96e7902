/**
 * The messages of Convex's sync protocol that this server reads, as `parse.ts` gives them, and
 * those that it writes, as JSON. The client has the whole of it in
 * `convex/src/browser/sync/protocol.ts`, but does not export it.
 */
import type { JSONValue } from "convex/values";

export type ClientMessage =
  | { type: "Connect"; sessionId: string }
  | {
      type: "ModifyQuerySet";
      baseVersion: number;
      newVersion: number;
      modifications: QuerySetChange[];
    }
  | MutationRequest
  | (FunctionRequest & { type: "Action" })
  | ({ type: "Authenticate"; baseVersion: number } & Credentials)
  | { type: "Event" };

type Credentials =
  { tokenType: "User" | "Admin"; value: string } | { tokenType: "None" };

type FunctionRequest = {
  requestId: number;
  path: string;
  args: JSONValue;
};
export type MutationRequest = FunctionRequest & { type: "Mutation" };

export type QuerySetChange =
  | { type: "Add"; queryId: number; path: string; args: JSONValue }
  | { type: "Remove"; queryId: number };

/** What a client has seen: its set of queries, its identity, and the data as of `ts`. */
export type Version = { querySet: number; identity: number; ts: EncodedTs };

export type QueryChange =
  | {
      type: "QueryUpdated";
      queryId: number;
      value: JSONValue;
      logLines: [];
      journal: null;
    }
  | {
      type: "QueryFailed";
      queryId: number;
      errorMessage: string;
      errorData?: JSONValue;
      logLines: [];
      journal: null;
    }
  | { type: "QueryRemoved"; queryId: number };

type Failure = {
  requestId: number;
  success: false;
  result: string;
  errorData?: JSONValue;
  logLines: [];
};
type Success = {
  requestId: number;
  success: true;
  result: JSONValue;
  logLines: [];
};

export type MutationResponse = { type: "MutationResponse" } & (
  (Success & { ts: EncodedTs }) | Failure
);

export type ServerMessage =
  | {
      type: "Transition";
      startVersion: Version;
      endVersion: Version;
      modifications: QueryChange[];
    }
  | MutationResponse
  | ({ type: "ActionResponse" } & (Success | Failure))
  | {
      type: "AuthError";
      error: string;
      baseVersion: number;
      authUpdateAttempted: boolean;
    }
  | { type: "Ping" };

/** A timestamp in nanoseconds: a u64, little endian, in base64. */
type EncodedTs = string;

export function encodeTs(ts: bigint): EncodedTs {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(ts);
  return bytes.toString("base64");
}

/** Undefined if the text is no timestamp. */
export function decodeTs(encoded: EncodedTs): bigint | undefined {
  const bytes = Buffer.from(encoded, "base64");
  return bytes.length === 8 ? bytes.readBigUInt64LE() : undefined;
}
