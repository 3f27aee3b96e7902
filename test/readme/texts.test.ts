import { expect, test } from "vitest";
import { withoutHtml } from "../../docs/.vitepress/texts.js";

test("words that a line break separates stay apart in the pages for agents", () => {
  expect(withoutHtml("Who is limited.<br><br>Default: none.<br>• one")).toBe(
    "Who is limited. Default: none. • one",
  );
});

test("the pages for agents have no comments", () => {
  expect(withoutHtml("<!-- START:\nthis -->\n\nRate limiting\n")).toBe(
    "Rate limiting\n",
  );
});
