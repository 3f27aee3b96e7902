declare module "*.md" {
  import type { Component } from "vue";

  /** The page, as VitePress compiles it. */
  const page: Component;
  export default page;
}
