import { register } from "convex-rate-limiter/test";
import type { RateLimitConfig, RateLimiter } from "convex-rate-limiter";
import { convexTest, type TestConvex } from "convex-test";
import {
  anyApi,
  componentsGeneric,
  makeFunctionReference,
  mutationGeneric,
  type GenericSchema,
  type SchemaDefinition,
} from "convex/server";
import { vi } from "vitest";
import { appOf, fragmentPath } from "./hostApp.js";
import { Loader } from "./load.js";
import type { Snippet } from "./snippets.js";

export type PageApp = TestConvex<SchemaDefinition<GenericSchema, boolean>>;

/** The host app of a page, or of a section of one (`docs/recipes.md#Failed logins`), which runs. */
export class Page {
  readonly loader: Loader;
  /** The blocks that are the body of a mutation. */
  readonly fragments: Snippet[];

  /** @param edit Changes a file before it is run. */
  constructor(
    name: string,
    edit: (text: string, file: string) => string = (text) => text,
  ) {
    const { files, snippets } = appOf(name);
    for (const [file, text] of files) files.set(file, edit(text, file));
    this.loader = new Loader(files);
    this.fragments = snippets.filter(
      ({ path, language }) => path === undefined && language === "ts",
    );
  }

  start({ mounted = true } = {}): PageApp {
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
              teamId: "analytical",
            }),
        }),
      ]),
    );
  }
}

/** The part of an answer that the tests read. */
type Answer = { ok: boolean; retryAfter?: number };

type Args = Record<string, unknown>;

export const query = <Returns = unknown>(path: string) =>
  makeFunctionReference<"query", Args, Returns>(path);
export const mutation = <Returns = Answer>(path: string) =>
  makeFunctionReference<"mutation", Args, Returns>(path);
export const action = <Returns = Answer>(path: string) =>
  makeFunctionReference<"action", Args, Returns>(path);

/** Calls `n` times, one after the other. */
export async function repeat<T>(n: number, call: () => Promise<T>) {
  const results: T[] = [];
  for (let i = 0; i < n; i++) results.push(await call());
  return results;
}

/** Runs what is scheduled, each at its own time. Time is fake. */
export async function finishScheduled(t: PageApp): Promise<void> {
  while (vi.getTimerCount() > 0) {
    vi.advanceTimersToNextTimer();
    await t.finishInProgressScheduledFunctions();
  }
}
