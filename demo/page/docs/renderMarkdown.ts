import { Marked } from "marked";
import { addressOf } from "./address.js";

export type Links = {
  /** Whether a file of the repository can be shown. */
  has: (path: string) => boolean;
  /** The address of a picture of the repository. */
  picture: (path: string) => Promise<string> | undefined;
};

/** A text of the repository as HTML. Its links lead to the files that can be shown. */
export async function renderMarkdown(
  text: string,
  path: string,
  { has, picture }: Links,
): Promise<string> {
  const marked = new Marked({
    async: true,
    walkTokens: async (token) => {
      if (token.type === "link" || token.type === "image") {
        const target = resolve(path, String(token["href"]));
        if (target === undefined) return;
        const [file = "", fragment] = target.split("#");
        if (token.type === "image") {
          const url = await picture(file);
          if (url !== undefined) token["href"] = url;
        } else if (has(file)) {
          const anchor = fragment === undefined ? "" : `#${fragment}`;
          token["href"] = addressOf(file) + anchor;
        }
      }
    },
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        return `<h${depth} id="${slugOf(html)}">${html}</h${depth}>\n`;
      },
      code({ text }) {
        return `<pre class="code" tabindex="0"><code>${escape(text)}</code></pre>\n`;
      },
    },
  });
  return marked.parse(text);
}

/** The path in the repository to which a link leads, if it leads to a file of it. */
function resolve(from: string, href: string): string | undefined {
  if (/^([a-z]+:|#)/i.test(href)) return undefined;
  const { pathname, hash } = new URL(href, `file:///${from}`);
  return pathname.slice(1) + hash;
}

/** As GitHub names headings. */
function slugOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replace(/&[^;]*;/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
