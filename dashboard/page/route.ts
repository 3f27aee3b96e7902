/**
 * What the page shows, as the address has it after the `#`, which is not sent to any server. A
 * page of a list has the cursors of all pages up to it, so that one can turn back from a deep link.
 */
export type Route =
  | { view: "limits" }
  /** One key, in all limits. */
  | { view: "find"; key: string }
  | {
      view: "keys";
      limit: string;
      prefix: string;
      order: "depleted" | "key";
      cursors: string[];
    }
  | { view: "overrides"; limit: string; cursors: string[] }
  | { view: "denials"; limit: string; span: "hour" | "day" | "month" }
  /** Without a key: what all share. */
  | { view: "key"; limit: string; key: string | undefined };

export type RouteOf<View extends Route["view"]> = Extract<
  Route,
  { view: View }
>;

/** The list of a limit's keys as it opens. */
export const allKeysOf = (limit: string): RouteOf<"keys"> => ({
  view: "keys",
  limit,
  prefix: "",
  order: "depleted",
  cursors: [],
});

export function toHash(route: Route): string {
  // No slash after the `#`, so that it cannot be taken for the name of a limit.
  if (route.view === "find") return `#find/${encode(route.key)}`;
  const parts = partsOf(route);
  // A limit whose name is empty needs the slash that follows it.
  const isPlain = parts.length === 2 && parts[1] === "keys" && parts[0] !== "";
  return `#/${(isPlain ? parts.slice(0, 1) : parts).map(encode).join("/")}`;
}

function partsOf(route: Exclude<Route, { view: "find" }>): string[] {
  switch (route.view) {
    case "limits":
      return [""];
    case "keys": {
      const { limit, prefix, order, cursors } = route;
      const list = [limit, order === "key" ? "by-key" : "keys"];
      const isFirst = prefix === "" && cursors.length === 0;
      return isFirst ? list : [...list, prefix, ...cursors];
    }
    case "overrides":
      return [route.limit, "overrides", ...route.cursors];
    case "denials":
      return route.span === "hour"
        ? [route.limit, "denials"]
        : [route.limit, "denials", route.span];
    case "key":
      return route.key === undefined
        ? [route.limit, "all"]
        : [route.limit, "key", route.key];
  }
}

/** An address that means nothing shows the list of limits. */
export function toRoute(hash: string): Route {
  const [place, limit = "", view, text = "", ...rest] = hash
    .split("/")
    .map(decode);
  if (place === "#find" && limit !== "") return { view: "find", key: limit };
  if (limit === "" && view === undefined) return { view: "limits" };
  switch (view) {
    case "key":
      return { view, limit, key: text };
    case "all":
      return { view: "key", limit, key: undefined };
    case "overrides":
      return { view, limit, cursors: text === "" ? [] : [text, ...rest] };
    case "denials":
      return {
        view,
        limit,
        span: text === "day" || text === "month" ? text : "hour",
      };
    default:
      return {
        view: "keys",
        limit,
        prefix: text,
        order: view === "by-key" ? "key" : "depleted",
        cursors: rest,
      };
  }
}

/** Replaces lone surrogates, which an address cannot hold. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A token that a link handed over. A new object each time, even for the same token. */
export type HandedToken = { token: string };

/**
 * Takes the token that a link handed over in the fragment, which is not sent to any server:
 * `#token=…`. Removes it from the address and the history, so call this before anything else
 * reads the address.
 */
export function takeHandedToken(): HandedToken | undefined {
  const [, text] = /^#token=(.*)/s.exec(location.hash) ?? [];
  if (text === undefined) return undefined;
  history.replaceState(null, "", "#/");
  const token = decode(text).trim();
  return token === "" ? undefined : { token };
}
