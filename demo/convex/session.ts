/**
 * Whose request it is. This app has no sign-in: the page makes a random id, keeps it and
 * sends it, and whoever knows it is that user. A real app never takes the key from the
 * browser; it asks `ctx.auth.getUserIdentity()`.
 *
 * Bounded, because it becomes a key: the browser must not store whatever it likes.
 */
export function requireSession(session: string | undefined): string {
  if (session === undefined || !/^[\w-]{8,64}$/.test(session)) {
    throw new Error("A session is 8 to 64 letters, digits, - or _.");
  }
  return session;
}
