import { readdir } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import MiniSearch from "minisearch";
import { indexOptions, searches, searchOptions } from "./search.js";

/** As many results as the site shows. */
const SHOWN = 16;

/** Fails the build of the site if a search does not find its page first. */
export async function checkSearch(outDir: string): Promise<void> {
  const chunks = path.join(outDir, "assets/chunks");
  const file = (await readdir(chunks)).find((name) =>
    name.startsWith("@localSearchIndex"),
  );
  if (file === undefined) throw new Error("The site has no index to search.");
  const { href } = pathToFileURL(path.join(chunks, file));
  const index = (await import(href)) as { default: string };
  const search = MiniSearch.loadJSON<{ id: string }>(index.default, {
    ...indexOptions,
    storeFields: ["title", "titles"],
    searchOptions,
  });
  const wrong = Object.entries(searches).flatMap(([query, page]) => {
    const found = search
      .search(query)
      .slice(0, SHOWN)
      .map(({ id }) => String(id));
    const [first = "nothing"] = found;
    const isFound = [first, first.split("#")[0]].includes(`/${page}`);
    if (!isFound) return [`${query}: ${first}`];
    const isOfApi = found.some((id) => id.endsWith(`#${query.toLowerCase()}`));
    return /^[a-z]+[A-Z]\w*$/.test(query) && !isOfApi
      ? [`${query}: no reference`]
      : [];
  });
  const internals = search
    .search(MiniSearch.wildcard)
    .map(({ id }) => String(id))
    .filter((id) => /^\/(bench|docs\/internals)\//.test(id));
  wrong.push(...internals.map((id) => `anything: ${id}`));
  if (wrong.length > 0) {
    throw new Error(`Searches that mislead:\n${wrong.join("\n")}`);
  }
}
