import answers from "../../example/convex/answers.ts?raw";
import limits from "../../example/convex/rateLimiter.ts?raw";
import type { CodeFile } from "./Code.js";

const texts = import.meta.glob<string>("../snippets/*/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** What of the example a section shows. */
const OF_EXAMPLE: Record<string, CodeFile[]> = {
  holds: [
    {
      name: "example/convex/answers.ts",
      text: partsOf(answers, ["ask", "write", "finish"]),
    },
    {
      name: "example/convex/rateLimiter.ts",
      text: partsOf(limits, ["modelTokens"]),
    },
  ],
};

/** The files that a section shows, its own before the limits that it names. */
export function snippetsOf(section: string): CodeFile[] {
  return (
    OF_EXAMPLE[section] ??
    Object.entries(texts)
      .filter(([path]) => path.startsWith(`../snippets/${section}/`))
      .map(([path, text]) => ({
        name: `convex/${path.split("/").at(-1)}`,
        text,
      }))
      .sort((a, b) => Number(isLimits(a)) - Number(isLimits(b)))
  );
}

const isLimits = ({ name }: CodeFile) => name === "convex/rateLimiter.ts";

/** The functions or limits of these names, with the comments above them. */
export function partsOf(file: string, names: readonly string[]): string {
  const parts = file.split(/\n\n(?= {0,2}\S)/);
  return names
    .map((name) => {
      const isIt = new RegExp(`^(export const | {2})${name}\\b`, "m");
      const part = parts.find((part) => isIt.test(part));
      if (part === undefined) throw new Error(`${name} is not in the file.`);
      return part.startsWith("  ") ? part.replaceAll(/^ {2}/gm, "") : part;
    })
    .join("\n\n");
}
