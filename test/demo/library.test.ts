import { describe, expect, test } from "vitest";
import { pages } from "../readme/snippets.js";
import {
  has,
  readPicture,
  readText,
  SHELVES,
} from "../../demo/page/docs/library.js";
import { renderMarkdown } from "../../demo/page/docs/renderMarkdown.js";

const [documentation] = SHELVES as [(typeof SHELVES)[0]];

test("every page of the documentation is on the shelf, once, and can be read", () => {
  for (const page of pages) {
    expect(documentation.paths.filter((path) => path === page)).toEqual([page]);
  }
  expect(documentation.paths.filter((path) => !has(path))).toEqual([]);
});

describe("the pictures of a page are shown", () => {
  test.for(pages)("%s", async (page) => {
    const text = await readText(page)!;
    const links = { has, picture: readPicture };
    const html = await renderMarkdown(text, page, links);
    const pictures = [...html.matchAll(/<img src="([^"]*)"/g)];
    const meant = [...text.matchAll(/!\[[^\]]*\]\(([^)]*)\)/g)];
    expect(pictures).toHaveLength(meant.length);
    for (const [, url] of pictures) expect(url).toMatch(/^(\/|data:)/);
  });
});
