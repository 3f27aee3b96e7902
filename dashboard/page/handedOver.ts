import { decode } from "./route.js";

/** What a link has handed over. Each time it is another one, also of the same token. */
export type Handed = { token: string };

/**
 * What a link has handed over in the fragment, which no server is sent: `#token=…`. It is taken
 * out of the address and the history, so ask for it before anything else is read there.
 */
export function takeHanded(): Handed | undefined {
  const [, text] = /^#token=(.*)/s.exec(location.hash) ?? [];
  if (text === undefined) return undefined;
  history.replaceState(null, "", "#/");
  const token = decode(text).trim();
  return token === "" ? undefined : { token };
}
