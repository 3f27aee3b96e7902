/**
 * Who this browser is to the demo, which has no sign-in: a random id, the same in every
 * tab. Whoever knows it is that user, so a real app does not do this.
 */
export const session: string = storedSession();

function storedSession(): string {
  const stored = localStorage.getItem("session");
  if (stored !== null) return stored;
  // Not randomUUID, which exists only on https and localhost.
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  const created = `visitor-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  localStorage.setItem("session", created);
  return created;
}
