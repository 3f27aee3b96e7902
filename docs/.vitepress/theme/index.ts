import { Content, withBase } from "vitepress";
import theme, {
  VPHomeContent,
  VPHomeFeatures,
  VPHomeHero,
} from "vitepress/theme";
import { defineComponent, h } from "vue";
import Sample from "../../site/sample.md";
import "./site.css";

/** The start page: what the package is, beside what it looks like. */
const home = () =>
  h("main", { class: "home" }, [
    h("div", { class: "first-sight" }, [
      h(VPHomeHero),
      h(Sample, { class: "vp-doc" }),
    ]),
    h(VPHomeFeatures),
    h(VPHomeContent, null, () => h(Content)),
  ]);

const notFound = () =>
  h("main", { class: "vp-doc not-found" }, [
    h("h1", "There is no such page"),
    h("p", h("a", { href: withBase("/") }, "Start page")),
  ]);

export default {
  ...theme,
  Layout: defineComponent({
    render: () => h(theme.Layout, null, { "not-found": notFound }),
  }),
  enhanceApp: (context) => {
    theme.enhanceApp?.(context);
    context.app.component("home", home);
  },
} satisfies typeof theme;
