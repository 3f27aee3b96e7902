/**
 * Checks whose request it is. This app has no sign-in: the page makes up a random id and sends it,
 * and whoever knows the id is that user. A real app never takes the key from the browser; it asks
 * `ctx.auth.getUserIdentity()`.
 *
 * The length is bounded because the id becomes a key, which the component stores.
 */
export function requireSession(session: string | undefined): string {
  if (session === undefined || !/^[\w-]{8,64}$/.test(session)) {
    throw new Error("A session is 8 to 64 letters, digits, - or _.");
  }
  return session;
}
