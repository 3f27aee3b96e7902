import {
  limitHttp,
  MINUTE,
  RateLimiter,
  type ActionCtx,
  type RateLimitDenial,
} from "convex-rate-limiter";
import { rateLimited } from "convex-rate-limiter/helpers";
import {
  customAction,
  customMutation,
} from "convex-helpers/server/customFunctions";
import {
  actionGeneric,
  httpActionGeneric,
  httpRouter,
  makeFunctionReference,
  mutationGeneric,
} from "convex/server";
import { describe, expect, test } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillClock,
} from "../support/host.js";

useStillClock();

const denials: RateLimitDenial[] = [];
const limits = {
  api: { kind: "token bucket", rate: 1, period: MINUTE, stats: true },
} as const;
const rateLimiter = new RateLimiter(components.rateLimiter, limits, {
  onDenied: (_, denial) => void denials.push(denial),
});

const throws = true;
const item = { name: "api" } as const;

/** Each of these takes from an empty limit. */
const verbs: Record<string, (ctx: ActionCtx) => Promise<unknown>> = {
  limit: (ctx) => rateLimiter.limit(ctx, "api", { throws }),
  limitAll: (ctx) => rateLimiter.limitAll(ctx, [item], { throws }),
  hold: (ctx) => rateLimiter.hold(ctx, "api", { throws }),
  holdAll: (ctx) => rateLimiter.holdAll(ctx, [item], { throws }),
  whileHolding: (ctx) =>
    rateLimiter.whileHolding(ctx, "api", { throws }, () => "done"),
};

const throwing = makeFunctionReference<"mutation">("calls:throwing");

const guard = rateLimited(rateLimiter, "api", {});
const done = { args: {}, handler: async () => "done" };
const calls = {
  throwing: mutationGeneric((ctx) => rateLimiter.limit(ctx, "api", { throws })),
  catching: mutationGeneric((ctx) =>
    rateLimiter.limit(ctx, "api", { throws }).catch(() => null),
  ),
  nesting: mutationGeneric((ctx) =>
    ctx.runMutation(throwing, {}).catch(() => null),
  ),
  calling: actionGeneric((ctx) => ctx.runMutation(throwing, {})),
  guardedAction: customAction(actionGeneric, guard)(done),
  guarded: customMutation(mutationGeneric, guard)(done),
};

const http = httpRouter();
const handler = limitHttp(
  rateLimiter,
  "api",
  { key: () => null },
  () => new Response("done"),
);
http.route({
  path: "/guarded",
  method: "GET",
  handler: httpActionGeneric(handler),
});
/** An app whose limit is empty. */
async function start() {
  const t = startHost({
    modules: {
      "./calls.ts": async () => calls,
      "./http.ts": async () => ({ default: http }),
    },
  });
  await t.mutation((ctx) => rateLimiter.charge(ctx, "api"));
  denials.length = 0;
  return t;
}
type App = Awaited<ReturnType<typeof start>>;

const counted = async (t: App) => {
  const range = { from: MIDNIGHT, to: MIDNIGHT + 1, by: "hour" } as const;
  const [hour] = await t.query((ctx) => rateLimiter.stats(ctx, "api", range));
  return hour!.denied;
};

/** How many denials a call counts. `onDenied` is called in any case. */
const told = async (call: (t: App) => Promise<unknown>) => {
  const t = await start();
  await call(t).catch(() => null);
  expect(denials).toMatchObject([{ name: "api", retryAfter: MINUTE }]);
  return counted(t);
};

type Case = [string, (t: App) => Promise<unknown>];

/** Calls a function of the app. */
const mutation =
  (name: keyof typeof calls) =>
  (t: App): Promise<unknown> =>
    t.mutation(makeFunctionReference<"mutation">(`calls:${name}`), {});
const action =
  (name: keyof typeof calls) =>
  (t: App): Promise<unknown> =>
    t.action(makeFunctionReference<"action">(`calls:${name}`), {});

describe("a denial that throws is counted", () => {
  test.each<Case>([
    ...Object.entries(verbs).map(([verb, call]): Case => [
      `in an action that calls ${verb}`,
      (t) => t.action(call),
    ]),
    ["in a mutation that catches it", mutation("catching")],
    ["by rateLimited in customAction", action("guardedAction")],
    ["by limitHttp, which answers", (t) => t.fetch("/guarded", {})],
  ])("%s", async (_, call) => {
    expect(await told(call)).toBe(1);
  });
});

describe("a denial that throws is not counted", () => {
  test.each<Case>([
    ["in a mutation that does not catch it", mutation("throwing")],
    ["in a mutation nested in another", mutation("nesting")],
    ["in an action's mutation", action("calling")],
    ["by rateLimited in customMutation", mutation("guarded")],
  ])("%s", async (_, call) => {
    expect(await told(call)).toBe(0);
  });
});
