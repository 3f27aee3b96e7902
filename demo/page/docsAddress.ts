/** Where the documentation is: beside the page, unless it is elsewhere. */
const SITE = (import.meta.env.VITE_DOCS_URL as string | undefined) ?? "/site/";

/** The address of a page of the documentation, by its path in the repository. */
export function addressOf(path: string): string {
  return (
    SITE + path.replace(/(^|\/)README\.md/, "$1").replace(/\.md(?=#|$)/, "")
  );
}
