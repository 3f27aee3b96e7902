import { register } from "convex-rate-limiter/test";
import type { RateLimitConfig, RateLimiter } from "convex-rate-limiter";
import { convexTest, type TestConvex } from "convex-test";
import {
  anyApi,
  componentsGeneric,
  mutationGeneric,
  type GenericSchema,
  type SchemaDefinition,
} from "convex/server";
import { fragmentPath, hostApp } from "./hostApp.js";
import { Loader } from "./load.js";
import { readSnippets, type Snippet } from "./snippets.js";

export const README = "README.md";

/** The host app of a page, which builds on that of the README. */
export function appOf(page: string): Map<string, string> {
  const readme = readSnippets(README);
  return page === README
    ? hostApp(readme)
    : hostApp(readSnippets(page), readme);
}

export type App = TestConvex<SchemaDefinition<GenericSchema, boolean>>;

/** A page whose host app runs. */
export class Page {
  readonly loader: Loader;
  /** The blocks that are the body of a mutation. */
  readonly fragments: Snippet[];

  constructor(name: string) {
    this.loader = new Loader(appOf(name));
    this.fragments = readSnippets(name).filter(
      ({ path, language }) => path === undefined && language === "ts",
    );
  }

  start({ mounted = true } = {}): App {
    const t = convexTest(
      this.loader.load("convex/schema.ts").default as SchemaDefinition<
        GenericSchema,
        boolean
      >,
      {
        ...this.loader.modules(),
        "./fragments.ts": async () => this.fragmentFunctions(),
      },
    );
    if (mounted) register(t);
    return t;
  }

  limits<Names extends string>() {
    return this.loader.load("convex/rateLimiter.ts").rateLimiter as RateLimiter<
      Record<Names, RateLimitConfig>
    >;
  }

  private fragmentFunctions() {
    return Object.fromEntries(
      this.fragments.map((snippet, i) => [
        `fragment${i}`,
        mutationGeneric({
          args: {},
          handler: async (ctx): Promise<void> =>
            this.loader.runFragment(fragmentPath(snippet), {
              ctx,
              api: anyApi,
              internal: anyApi,
              components: componentsGeneric(),
              rateLimiter: this.limits(),
              userId: "ada",
              organisationId: "analytical",
            }),
        }),
      ]),
    );
  }
}
