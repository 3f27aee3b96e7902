import type { IncomingMessage } from "node:http";
import type { UserIdentity } from "convex/server";
import type { Caller } from "./backend.js";
import { Malformed } from "./parse.js";

/**
 * Whether a request comes from a page of this machine, or from no page at all. Any page that its
 * browser opens can reach this server; only those say where they come from.
 */
export function isLocal({ headers: { origin } }: IncomingMessage): boolean {
  return (
    origin === undefined ||
    /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin)
  );
}

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
 * become `subject` and `issuer`; other claims keep their names.
 *
 * @throws A {@link Malformed} if the text is not such a token.
 */
export function identityFromToken(token: string): Partial<UserIdentity> {
  const { sub, iss, ...claims } = claimsOf(token);
  if (typeof sub !== "string" || typeof iss !== "string") {
    throw new Malformed("The token is not a JSON Web Token.", 401);
  }
  return { ...claims, subject: sub, issuer: iss };
}

function claimsOf(token: string): Partial<UserIdentity> {
  try {
    const payload = Buffer.from(token.split(".")[1] ?? "", "base64url");
    return Object(JSON.parse(payload.toString())) as Partial<UserIdentity>;
  } catch {
    return {};
  }
}
