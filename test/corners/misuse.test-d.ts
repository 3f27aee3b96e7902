import { MINUTE, RateLimiter, type MutationCtx } from "convex-rate-limiter";
import type { ComponentApi } from "convex-rate-limiter/_generated/component.js";
import { describe, test } from "vitest";

declare const component: ComponentApi;
declare const ctx: MutationCtx;

const limiter = new RateLimiter(component, {
  message: { kind: "token bucket", rate: 10, period: MINUTE, overrides: true },
  plain: { kind: "token bucket", rate: 10, period: MINUTE },
  off: { kind: "token bucket", rate: 10, period: MINUTE, overrides: false },
});

describe("does not compile", () => {
  test("reset of a misspelt name", () => {
    void limiter.reset(ctx, "message", { key: "k" });
    // @ts-expect-error no such limit
    void limiter.reset(ctx, "mesage", { key: "k" });
  });

  test("an override that both bans and lifts the limit", () => {
    void limiter.setOverride(ctx, "message", { deny: true });
    void limiter.setOverride(ctx, "message", { unlimited: true });
    // @ts-expect-error one or the other
    void limiter.setOverride(ctx, "message", { deny: true, unlimited: true });
    const config = { rate: 1 };
    // @ts-expect-error one or the other
    void limiter.setOverride(ctx, "message", { deny: true, config });
    // @ts-expect-error one or the other
    void limiter.setOverride(ctx, "message", { unlimited: true, config });
  });

  test("an override of a limit that looks for none", () => {
    // @ts-expect-error without overrides: true
    void limiter.setOverride(ctx, "plain", { deny: true });
    // @ts-expect-error with overrides: false
    void limiter.setOverride(ctx, "off", { deny: true });
  });
});
