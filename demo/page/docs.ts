import react from "../../docs/react.md?raw";
import readme from "../../README.md?raw";
import type { CodeFile } from "./Code.js";

/** How the package is installed, as the README says. */
export const INSTALL = /^npm install .*$/m.exec(readme)![0];

/** The files that limit the chat, from the limit to the button. */
export const FIRST_FILES: CodeFile[] = [
  fileIn(readme, "convex/messages.ts"),
  fileIn(readme, "convex/rateLimiter.ts"),
  fileIn(react, "convex/limits.ts"),
  fileIn(react, "src/SendButton.tsx"),
];

/** The block of a page of the documentation whose first line names the file. */
function fileIn(page: string, name: string): CodeFile {
  const heads = ["ts", "tsx"].map((language) => `${language}\n// ${name}\n`);
  for (const block of page.split("```")) {
    const head = heads.find((one) => block.startsWith(one));
    if (head !== undefined) return { name, text: block.slice(head.length) };
  }
  throw new Error(`The documentation does not show ${name}.`);
}

/** Where the documentation is: beside the page by default. */
export const SITE =
  (import.meta.env.VITE_DOCS_URL as string | undefined) ?? "/site/";
