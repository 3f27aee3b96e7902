/** What the page shows, as the part of its address after the `#`, which no server is sent. */
export type Route =
  | { view: "limits" }
  | { view: "keys"; limit: string; prefix: string }
  | { view: "overrides"; limit: string }
  | { view: "denials"; limit: string }
  /** Without a key: what all share. */
  | { view: "key"; limit: string; key: string | undefined };

export function toHash(route: Route): string {
  if (route.view === "limits") return "#/";
  const limit = `#/${encode(route.limit)}`;
  switch (route.view) {
    case "keys":
      return route.prefix === ""
        ? limit
        : `${limit}/keys/${encode(route.prefix)}`;
    case "key":
      return route.key === undefined
        ? `${limit}/all`
        : `${limit}/key/${encode(route.key)}`;
    default:
      return `${limit}/${route.view}`;
  }
}

/** Whatever leads nowhere leads to the limits. */
export function toRoute(hash: string): Route {
  const [, name = "", view = "keys", text = ""] = hash.split("/").map(decode);
  if (name === "") return { view: "limits" };
  switch (view) {
    case "key":
      return { view, limit: name, key: text };
    case "all":
      return { view: "key", limit: name, key: undefined };
    case "overrides":
    case "denials":
      return { view, limit: name };
    default:
      return { view: "keys", limit: name, prefix: text };
  }
}

/** Half of a surrogate pair cannot be in an address. */
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
