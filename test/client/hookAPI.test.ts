import {
  calculateRateLimit,
  HOUR,
  MINUTE,
  RateLimiter,
  type GetValueReturns,
  type HookAPIOptions,
  type LimitConfig,
} from "convex-rate-limiter";
import {
  makeFunctionReference,
  type GenericDataModel,
  type RegisteredMutation,
  type RegisteredQuery,
} from "convex/server";
import { describe, expect, test } from "vitest";
import { vValue } from "../../src/core/validators.js";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillClock,
} from "../support/host.js";

useStillClock();

const limiter = new RateLimiter(components.rateLimiter, {
  message: { kind: "token bucket", rate: 10, period: MINUTE },
  secret: { kind: "token bucket", rate: 99, period: MINUTE },
  split: { kind: "token bucket", rate: 80, period: HOUR, shards: 8 },
});

type Args = Record<string, unknown>;

/** An app that exports what `hookAPI` made, called as a browser calls it. */
function exported(api: {
  getRateLimit: RegisteredQuery<"public", never, unknown>;
  getServerTime: RegisteredMutation<"public", never, unknown>;
}) {
  const t = startHost({ modules: { "./limits.ts": async () => api } });
  return {
    t,
    ask: (args: Args = {}) =>
      t.query(
        makeFunctionReference<"query", Args, GetValueReturns>(
          "limits:getRateLimit",
        ),
        args,
      ),
    time: () =>
      t.mutation(makeFunctionReference<"mutation">("limits:getServerTime")),
  };
}

const balance = (value: number) =>
  expect.objectContaining({ value }) as unknown;

test("the query of hookAPI shows the host's limit, with its config", async () => {
  const { t, ask } = exported(limiter.hookAPI("message"));
  await t.mutation((ctx) => limiter.limit(ctx, "message", { count: 3 }));
  const whole = {
    value: 7,
    ts: MIDNIGHT,
    shard: 0,
    config: {
      kind: "token bucket",
      rate: 10,
      period: MINUTE,
      capacity: 10,
      shards: 1,
    },
  };
  expect(await ask()).toEqual(whole);
  expect(await ask({ name: "message" })).toEqual(whole);
});

test("the mutation of hookAPI returns the server's time", async () => {
  expect(await exported(limiter.hookAPI("message")).time()).toBe(MIDNIGHT);
});

describe("a browser can choose", () => {
  test.each([undefined, "fixed"])("no key if the host's is %s", async (key) => {
    const { ask } = exported(limiter.hookAPI("message", { key }));
    for (const sent of ["", "someone"]) {
      await expect(ask({ key: sent })).rejects.toThrow("key function");
    }
  });

  test("no sample of 0 rows", async () => {
    const { ask } = exported(limiter.hookAPI("split"));
    await expect(ask({ sampleShards: 0 })).rejects.toThrow("sampleShards");
  });
});

test("the functions of hookAPI declare what they take and return, for Convex's static code generation", () => {
  type Exported = Record<"exportArgs" | "exportReturns", () => string>;
  const returned = Object.values(limiter.hookAPI("message")).map((made) =>
    (made as unknown as Exported).exportReturns(),
  );
  expect(returned).toEqual([
    JSON.stringify((vValue() as unknown as { json: object }).json),
    JSON.stringify({ type: "number" }),
  ]);
});

describe("the key of hookAPI is", () => {
  const use = async (options: HookAPIOptions<GenericDataModel>) => {
    const app = exported(limiter.hookAPI("message", options));
    await app.t.mutation((ctx) =>
      limiter.limit(ctx, "message", { key: "anna", count: 4 }),
    );
    return app.ask;
  };

  test.each<[string, HookAPIOptions<GenericDataModel>, number]>([
    ["the one that the host fixed", { key: "anna" }, 6],
    [
      "the one that the host's function returns",
      { key: async () => "anna" },
      6,
    ],
    ["none, if the host's function returns null", { key: () => null }, 10],
  ])("%s", async (_, options, left) => {
    expect(await (await use(options))()).toEqual(balance(left));
  });

  test("the browser's, if the host's function returns it", async () => {
    const ask = await use({
      key: (_, sent) => {
        if (sent !== "anna") throw new Error("not yours");
        return sent;
      },
    });
    expect(await ask({ key: "anna" })).toEqual(balance(6));
    await expect(ask({ key: "bert" })).rejects.toThrow("not yours");
    await expect(ask()).rejects.toThrow("not yours");
  });

  test("never undefined, even if the host's function returns that", async () => {
    const ask = await use({
      key: (() => undefined) as unknown as () => string,
    });
    await expect(ask()).rejects.toThrow(
      "Rate limit message: the key function returned undefined",
    );
  });
});

describe("the config function of hookAPI", () => {
  const daily = { kind: "fixed window", period: "day" } as const;
  const plans: Record<string, LimitConfig> = {
    free: { ...daily, rate: 3 },
    pro: { ...daily, rate: 10 },
    bucket: { kind: "token bucket", rate: 5, period: HOUR, shards: 2 },
    asynchronous: {
      kind: "token bucket",
      rate: 7,
      period: HOUR,
      applyUpdates: "asynchronously",
    },
    places: { kind: "concurrency", capacity: 2, lease: MINUTE },
  };
  const unnamed = new RateLimiter(components.rateLimiter);
  /** The hook of a limiter, with a config function of the key that the browser sends. */
  const withConfig = (
    of: RateLimiter,
    config: (key: string) => LimitConfig | undefined,
  ) =>
    exported(
      of.hookAPI("exports", {
        key: (_ctx, sent) => sent ?? null,
        config: async (_ctx, key = "nobody") =>
          config(key) as typeof daily & { rate: number },
      }),
    );

  test.each(Object.keys(plans))(
    "gives the plan of the key: %s",
    async (key) => {
      const { t, ask } = withConfig(unnamed, (plan) => plans[plan]);
      const config = plans[key]!;
      await t.mutation((ctx) => unnamed.hold(ctx, "exports", { key, config }));
      const shown = await ask({ key });
      const value = await t.query((ctx) =>
        unnamed.getValue(ctx, "exports", { key, config }),
      );
      expect(shown).toEqual(value);
      const capacity =
        config.kind === "concurrency" ? config.capacity : config.rate;
      const { value: left } = calculateRateLimit(shown, shown.config, MIDNIGHT);
      expect(left).toBe(capacity - 1);
    },
  );

  test("gets undefined if the key function returns null", async () => {
    const keys: string[] = [];
    const { ask } = withConfig(unnamed, (key) => {
      keys.push(key);
      return plans.free;
    });
    await ask();
    expect(keys).toEqual(["nobody"]);
  });

  test("leaves the limiter's config if it returns undefined", async () => {
    const named = new RateLimiter(components.rateLimiter, {
      exports: { ...daily, rate: 3 },
    });
    const { ask } = withConfig(named, (key) =>
      key === "paying" ? plans.pro : undefined,
    );
    expect(await ask({ key: "ada" })).toMatchObject({ value: 3 });
    expect(await ask({ key: "paying" })).toMatchObject({ value: 10 });
  });
});
