import { CONTENTS, README } from "./address.js";

/** The repository's texts that the page shows, by their path. Loaded when they are read. */
const texts = {
  ...import.meta.glob<string>("../../../{README,CHANGELOG}.md", {
    query: "?raw",
    import: "default",
  }),
  ...import.meta.glob<string>("../../../docs/*.md", {
    query: "?raw",
    import: "default",
  }),
  ...import.meta.glob<string>(
    [
      "../../../src/{client,core,component,react,helpers}/*.{ts,tsx}",
      "!../../../src/**/*.test.*",
      "!../../../src/**/*.test-d.ts",
    ],
    { query: "?raw", import: "default" },
  ),
  ...import.meta.glob<string>(
    ["../../convex/*.ts", "!../../convex/*.test.ts"],
    {
      query: "?raw",
      import: "default",
    },
  ),
};

const pictures = import.meta.glob<string>("../../../docs/**/*.{png,svg}", {
  query: "?url",
  import: "default",
});

const library = new Map(
  Object.entries(texts).map(([path, load]) => [inRepository(path), load]),
);
const pictureUrls = new Map(
  Object.entries(pictures).map(([path, load]) => [inRepository(path), load]),
);

function inRepository(path: string): string {
  return path
    .replace("../../convex/", "demo/convex/")
    .replace(/^(\.\.\/)+/, "");
}

export const readText = (path: string) => library.get(path)?.();
export const readPicture = (path: string) => pictureUrls.get(path)?.();
export const has = (path: string): boolean => library.has(path);

export type Shelf = { title: string; paths: string[] };

/** The pages in the order in which one reads them. Those that are not here come last. */
const READING = [
  README,
  CONTENTS,
  ...[
    "choosing",
    "limits",
    "calls",
    "keys",
    "reservations",
    "holds",
    "overrides",
    "react",
    "http",
    "operators",
    "figures",
    "testing",
    "recipes",
    "protection",
    "cost",
    "scaling",
    "troubleshooting",
    "comparison",
    "migrating",
    "algebra",
    "verified",
  ].map((page) => `docs/${page}.md`),
];

/** What there is to read. */
export const SHELVES: Shelf[] = [
  {
    title: "Documentation",
    paths: [...new Set([...READING, ...under("docs/", "CHANGELOG.md")])],
  },
  {
    title: "Client",
    paths: under("src/client/", "src/react/", "src/helpers/"),
  },
  { title: "Core", paths: under("src/core/") },
  { title: "Component", paths: under("src/component/") },
  { title: "Example app", paths: under("demo/convex/") },
];

function under(...places: string[]): string[] {
  return places.flatMap((place) =>
    [...library.keys()].filter((path) => path.startsWith(place)).sort(),
  );
}
