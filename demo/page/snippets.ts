import type { CodeFile } from "./Code.js";

const texts = import.meta.glob<string>("../snippets/*/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The files that a section shows, that with the limits last. */
export function snippetsOf(section: string): CodeFile[] {
  return Object.entries(texts)
    .filter(([path]) => path.startsWith(`../snippets/${section}/`))
    .map(([path, text]) => ({ name: `convex/${path.split("/").at(-1)}`, text }))
    .sort((a, b) => Number(isLimits(a)) - Number(isLimits(b)));
}

const isLimits = ({ name }: CodeFile) => name === "convex/rateLimiter.ts";
