import type { IncomingMessage } from "node:http";
import type { UserIdentity } from "convex/server";
import type { Caller } from "./backend.js";

/** The caller behind a request, not yet identified. */
export function anonymousCaller(request: IncomingMessage): Caller {
  return {
    identity: null,
    ip: request.socket.remoteAddress ?? null,
    userAgent: request.headers["user-agent"] ?? null,
  };
}

/**
 * The claims of a JSON Web Token, whose signature and expiry are not checked. `sub` and `iss`
 * become `subject` and `issuer`; other claims keep their names. Throws if the text is not such a
 * token.
 */
export function identityFromToken(token: string): Partial<UserIdentity> {
  try {
    const payload = Buffer.from(token.split(".")[1] ?? "", "base64url");
    const { sub, iss, ...claims } = JSON.parse(
      payload.toString(),
    ) as UserIdentity & { sub: string; iss: string };
    return { ...claims, subject: sub, issuer: iss };
  } catch {
    throw new Error("The token is not a JSON Web Token.");
  }
}
