export type Order = "depleted" | "key";
export type Span = "hour" | "day" | "month";

/**
 * What the page shows, as the part of its address after the `#`, which no server is sent. A page
 * of a list has the cursors of all pages up to it, so that one can turn back from a deep link.
 */
export type Route =
  | { view: "limits" }
  /** One key, in all limits. */
  | { view: "find"; key: string }
  | {
      view: "keys";
      limit: string;
      prefix: string;
      order: Order;
      cursors: string[];
    }
  | { view: "overrides"; limit: string; cursors: string[] }
  | { view: "denials"; limit: string; span: Span }
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
  // Without a slash at its beginning, since a limit may have any name.
  if (route.view === "find") return `#find/${encode(route.key)}`;
  const parts = partsOf(route);
  // A limit without a name is nothing between two slashes, but not at the end.
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

/** Whatever leads nowhere leads to the limits. */
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

/** Half of a surrogate pair cannot be in an address. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
}

export function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
