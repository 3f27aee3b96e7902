/** Where the page shows a file of the repository. */
export function addressOf(path: string): string {
  return `docs.html?file=${path}`;
}

export const README = "README.md";
/** The table of contents. */
export const CONTENTS = "docs/README.md";
export const SOURCE = "src/client/RateLimiter.ts";
