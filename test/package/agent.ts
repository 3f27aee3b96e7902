/*
 * An app with Convex's agent component, which wants other packages than the rest. `ai` is the
 * version that 0.7.3 is built with: newer ones name so many models that TypeScript gives up on
 * its constructor.
 */

import { tsconfig } from "./tsconfig.js";

/** The files of the app, with the page's own code. */
export const agentApp = (code: { limits: string; support: string }) => ({
  "convex/rateLimiter.ts": code.limits,
  "convex/support.ts": code.support,
  "convex/withTools.ts": code.support
    .replace("import { Agent }", "import { Agent, isStepCount }")
    .replace("import { languageModel }", "import { languageModel, tools }")
    .replace(
      '"support", languageModel }',
      '"withTools", languageModel, tools, stopWhen: isStepCount(3) }',
    ),
  "tsconfig.json": tsconfig,
  "vitest.config.ts": `
    import { defineConfig } from "vitest/config";

    const inline = ["convex-test", "@convex-dev/agent", "convex-rate-limiter"];
    export default defineConfig({ test: { server: { deps: { inline } } } });
  `,
  "convex/_generated/api.ts": `
    import type { ComponentApi as AgentApi } from "@convex-dev/agent/_generated/component.js";
    import type { ComponentApi } from "convex-rate-limiter/_generated/component";
    import { componentsGeneric } from "convex/server";

    export const components = componentsGeneric() as unknown as {
      rateLimiter: ComponentApi<"rateLimiter">;
      agent: AgentApi<"agent">;
    };
  `,
  "convex/_generated/server.ts": `
    export { internalActionGeneric as internalAction } from "convex/server";
  `,
  // Calls a tool first if there is one. Each step uses 13 tokens.
  "convex/model.ts": `
    import type { LanguageModelV4 } from "@ai-sdk/provider";
    import { tool } from "ai";
    import { MockLanguageModelV4 } from "ai/test";
    import { z } from "zod";

    const lookUp = tool({ inputSchema: z.object({}), execute: async () => "Nothing." });
    export const tools = { lookUp };

    export const languageModel: LanguageModelV4 = new MockLanguageModelV4({
      doGenerate: async ({ prompt, tools = [] }) => {
        const isAsking = tools.length > 0 && prompt.at(-1)?.role !== "tool";
        const call = { toolCallId: "1", toolName: "lookUp", input: "{}" };
        const finish = isAsking ? "tool-calls" : "stop";
        return {
          content: [isAsking ? { type: "tool-call", ...call } : { type: "text", text: "Hello" }],
          finishReason: { unified: finish, raw: finish },
          usage: {
            inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 10, text: 10, reasoning: 0 },
          },
          warnings: [],
        };
      },
    });
  `,
  "convex/support.test.ts": `
    import { createThread } from "@convex-dev/agent";
    import agent from "@convex-dev/agent/test";
    import { register } from "convex-rate-limiter/test";
    import { convexTest } from "convex-test";
    import { defineSchema, makeFunctionReference } from "convex/server";
    import { expect, test } from "vitest";
    import { components } from "./_generated/api";
    import { rateLimiter } from "./rateLimiter";

    test.each([
      ["support", 13],
      ["withTools", 26],
    ])("%s: what was estimated is settled by what each step used", async (module, used) => {
      const t = convexTest(defineSchema({}), {
        "./_generated/api.ts": () => import("./_generated/api"),
        "./support.ts": () => import("./support"),
        "./withTools.ts": () => import("./withTools"),
      });
      register(t);
      agent.register(t as never);
      const userId = "ann";
      const threadId = await t.run((ctx) =>
        createThread(ctx as never, components.agent, { userId }),
      );
      const answer = makeFunctionReference<"action">(module + ":answer");
      const args = { userId, threadId, prompt: "Hello?" };
      expect(await t.action(answer, args)).toEqual({ ok: true, text: "Hello" });
      const { value } = await t.run((ctx) =>
        rateLimiter.getValue(ctx, "llmTokens", { key: userId }),
      );
      expect(Math.floor(value)).toBe(10_000 - used);
    });
  `,
});
