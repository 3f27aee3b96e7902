import { beforeAll, describe, expect, test } from "vitest";
import { Editor } from "./languageService.js";

const editor = new Editor(`
import { limitHttp, MINUTE, RateLimiter, type ActionCtx, type CancellingCtx, type LeaseId, type SchedulingCtx } from "convex-rate-limiter";
import type { GenericDataModel, GenericQueryCtx } from "convex/server";
import { rateLimited } from "convex-rate-limiter/helpers";
import type { ComponentApi } from "convex-rate-limiter/_generated/component.js";

declare const component: ComponentApi;
declare const ctx: SchedulingCtx & CancellingCtx;
declare const action: ActionCtx;
declare const query: GenericQueryCtx<GenericDataModel>;
declare const lease: LeaseId;
declare const work: { fn: ComponentApi["lib"]["clearAll"]; args: {} };
declare const id: Parameters<typeof limiter.cancelScheduled>[1];
const paginationOpts = { numItems: 10, cursor: null };
const config = { kind: "token bucket", rate: 1, period: MINUTE } as const;
const calendar = { kind: "fixed window", rate: 1, period: "day" } as const;
const concurrency = { kind: "concurrency", capacity: 3, lease: MINUTE } as const;
const limiter = new RateLimiter(component, {
  message: { kind: "token bucket", rate: 10, period: MINUTE, overrides: true },
  signUp: { kind: "fixed window", rate: 100, period: MINUTE },
});
const mixed = new RateLimiter(component, {
  message: { kind: "token bucket", rate: 10, period: MINUTE, stats: true },
  quota: { kind: "fixed window", rate: 100, period: "month" },
  render: { kind: "concurrency", capacity: 3, lease: MINUTE, stats: 0.1 },
});
const keyed = new RateLimiter(component, {
  user: { kind: "token bucket", rate: 10, period: MINUTE, requireKey: true },
  all: { kind: "token bucket", rate: 10, period: MINUTE },
});
const either = Math.random() > 0.5 ? limiter : mixed;
const range = { from: 0, to: MINUTE };
const hello = () => new Response();
const one = () => 1;
const key = "k";
`);

// The first question compiles the file.
beforeAll(() => void editor.write("|limiter;").hover(), 60_000);

/** The cases of a table, each with its source written. */
function write<Rest extends unknown[]>(
  table: [source: string, ...Rest][],
): { source: string; piece: ReturnType<Editor["write"]>; rest: Rest }[] {
  return table.map(([source, ...rest]) => ({
    source,
    piece: editor.write(source),
    rest,
  }));
}

/** The lines of a text: each a source, and what its comment says. */
const writeLines = (text: string) =>
  write(
    text
      .trim()
      .split("\n")
      .map((line) => line.trim().split(" // ") as [string, string]),
  );

// The report of the API names a method without a docstring; an overload is chosen here.
describe("hovering a method that has overloads shows what it does", () => {
  const calls = writeLines(`
    limiter.|limit(ctx, "message"); // Takes tokens
    limiter.|check(ctx, "message"); // takes nothing
    mixed.|hold(ctx, "message"); // Takes tokens as \`limit\` does
    mixed.|hold(ctx, "render"); // until its lease ends
    limiter.|hold(ctx, "another", { config }); // Takes tokens as
    limiter.|hold(ctx, "a", { config: concurrency }); // until its lease ends
    mixed.|whileHolding(action, "render", {}, () => 1); // runs \`work\`
    limiter.|hookAPI("message"); // useRateLimit
    |rateLimited(limiter, "message"); // A customization
  `);

  test.for(calls)("$source", ({ piece, rest: [words] }) => {
    expect(piece.hover()).toContain(words);
  });
});

// A call that brings its config inline has a line more for each field of it.
describe("hovering a call shows its signature in at most ten lines", () => {
  const calls = writeLines(`
    mixed.|limit(ctx, "message"); // RateLimitReturns<false, false, false>
    mixed.|limit(ctx, "message", { key, count: 2, details: true, throws: true }); // Promise<Granted & Taken & RateLimitDetails>
    mixed.|limit(ctx, "another", { key, config }); // options?: LimitOptions
    mixed.|check(ctx, "message", { key, upTo: true }); // CheckOptions
    mixed.|limitAll(ctx, [{ name: "message", key }, { name: "quota", key }]); // LimitAllReturns<false, false>
    mixed.|checkAll(ctx, [{ name: "message", key }]); // LimitAllReturns<
    mixed.|reset(ctx, "message", { key }); // options?: ResetOptions
    mixed.|getValue(ctx, "render", { key }); // GetValueReturns<ConcurrencyConfig>
    mixed.|credit(ctx, "message", { key, count: 2 }); // credited: number
    mixed.|charge(ctx, "message", { key, count: 2 }); // ChargeOptions
    mixed.|hold(ctx, "render", { key }); // HoldReturns<LeaseId, false>
    mixed.|holdAll(ctx, [{ name: "quota", key }, { name: "render", key }]); // HoldAllReturns<[HoldId, LeaseId], false>
    mixed.|settle(ctx, "id", { count: 1 }); // id: HoldId
    mixed.|settleAll(ctx, [{ id: "id" }]); // SettleAllItem[]
    mixed.|release(ctx, "id"); // id: string
    mixed.|renew(ctx, lease); // id: LeaseId
    mixed.|whileHolding(action, "render", { key, throws: true }, one); // result: number
    mixed.|whileHoldingAll(action, [{ name: "quota" }, { name: "render" }], one); // WhileHoldingAllReturns<number, false>
    mixed.|schedule(ctx, "message", { ...work, key }); // ScheduleOptions<
    mixed.|cancelScheduled(ctx, id); // cancelled: boolean
    limiter.|setOverride(ctx, "message", { key, config: { rate: 2 }, credit: true }); // credited: number
    limiter.|penalize(ctx, "message", { key, bans: [1], forgetAfter: 1 }); // PenalizeOptions
    mixed.|clearOverride(ctx, "message", { key }); // KeyOption
    mixed.|list(ctx, { paginationOpts }); // Page<ListedKey>
    mixed.|listOverrides(ctx, { paginationOpts }); // Page<RateLimitOverride>
    mixed.|forget(ctx, "k"); // ForgetReturns
    mixed.|stats(ctx, "message", { ...range, by: "hour" }); // RateLimitStats
    mixed.|topDenied(ctx, "message", range); // DeniedKey[]
    mixed.|hookAPI("message", { key: async () => "k" }); // HookAPIFunctions<RateLimitConfig>
  `);

  test.for(calls)("$source", ({ piece, rest: [part] }) => {
    const signature = piece.signature();
    expect(signature).toContain(part);
    expect(signature.split("\n").length).toBeLessThanOrEqual(10);
    expect(signature).not.toContain("overload");
  });
});

// Only the names of limits that refill, have overrides, count their calls, or are in both limiters.
describe("the names of the limits that a call takes are offered", () => {
  const calls = writeLines(`
    limiter.limit(ctx, "|"); // message signUp
    limiter.limit(ctx, "|", { count: 2 }); // message signUp
    limiter.limitAll(ctx, [{ name: "message" }, { name: "|" }]); // message signUp
    limiter.reset(ctx, "|"); // message signUp
    limiter.list(ctx, { name: "|" }); // message signUp
    limiter.hookAPI("|"); // message signUp
    rateLimited(limiter, "|"); // message signUp
    limiter.setOverride(ctx, "|", { deny: true }); // message
    limiter.penalize(ctx, "|", { key: "k", bans: [1], forgetAfter: 1 }); // message
    mixed.stats(ctx, "|", { ...range, by: "hour" }); // message render
    either.limit(ctx, "|"); // message
    mixed.limit(ctx, "|"); // message quota
    mixed.limitAll(ctx, [{ name: "|" }]); // message quota
    keyed.limit(ctx, "|"); // all user
    mixed.hold(ctx, "|"); // message quota render
    mixed.holdAll(ctx, [{ name: "|" }]); // message quota render
    mixed.whileHolding(action, "|", {}, () => 1); // message quota render
    mixed.whileHoldingAll(action, [{ name: "|" }], () => 1); // message quota render
  `);

  test.for(calls)("$source", ({ piece, rest: [names] }) => {
    expect(piece.offered().join(" ")).toBe(names);
  });
});

describe("of a config that is begun,", () => {
  const kinds = ["concurrency", "fixed window", "token bucket"];
  const refilling = kinds.slice(1);
  const shared = ["enforce", "overrides", "requireKey", "stats", "warnAt"];
  const ofBucket = [
    ...["applyUpdates", "capacity", "maxDebt", "maxReserved", "period"],
    ...["rate", "shards", "start"],
    ...shared,
  ];
  const fields: Record<string, string[]> = {
    "token bucket": ofBucket,
    "fixed window": [...ofBucket, "timeZone", "weekStart"],
    concurrency: ["capacity", "lease", ...shared],
  };
  const places: [source: string, kinds: string[]][] = [
    [`new RateLimiter(component, { a: { $ } });`, kinds],
    [`new RateLimiter(component, { b: config, a: { $ } });`, kinds],
    [`limiter.limit(ctx, "a", { config: { $ } });`, refilling],
    [`limiter.check(ctx, "a", { config: { $ } });`, kinds],
    [`limiter.hold(ctx, "a", { config: { $ } });`, kinds],
    [`limiter.limitAll(ctx, [{ name: "a", config: { $ } }]);`, refilling],
    [`limiter.holdAll(ctx, [{ name: "a", config: { $ } }]);`, kinds],
    [`limiter.whileHolding(action, "a", { config: { $ } }, () => 1);`, kinds],
    [`rateLimited(limiter, "a", { config: { $ } });`, refilling],
    [`limiter.hookAPI("a", { config: { $ } });`, kinds],
    [`limitHttp(limiter, "a", { config: { $ } }, hello);`, refilling],
    [`limiter.schedule(ctx, "a", { ...work, config: { $ } });`, refilling],
  ];

  describe("every kind is offered, whatever else is written", () => {
    const table = places.flatMap(([source, offered]) =>
      [`kind: "|"`, `kind: "|", rate: 1, period: 1`].map(
        (begun): [string, string[]] => [source.replace("$", begun), offered],
      ),
    );
    test.for(write(table))("$source", ({ piece, rest: [offered] }) => {
      expect(piece.offered()).toEqual(offered);
    });
  });

  describe("only the fields of its kind are offered", () => {
    const table = places.flatMap(([source, ofPlace]) =>
      ofPlace.map((kind): [string, string[]] => [
        source.replace("$", `kind: "${kind}", |`),
        fields[kind]!,
      ]),
    );
    const own = new Set([...Object.values(fields).flat(), "kind"]);
    test.for(write(table))("$source", ({ piece, rest: [offered] }) => {
      const shown = piece.offered().filter((field) => own.has(field));
      expect(shown).toEqual([...offered].sort());
    });
  });
});

describe("the fields are offered", () => {
  const places = writeLines(`
    new RateLimiter(component, { a: { | } }); // capacity kind maxReserved period rate
    limiter.limit(ctx, "a", { config: { | } }); // capacity kind maxReserved period rate
    limiter.limitAll(ctx, [{ name: "a", config: { | } }]); // capacity kind maxReserved period rate
    limiter.limit(ctx, "message", { | }); // config count key reserve
    limiter.limitAll(ctx, [{ | }]); // config count key reserve
  `);

  test.for(places)("$source", ({ piece, rest: [fields] }) => {
    const offered = expect.arrayContaining(fields.split(" ")) as unknown;
    expect(piece.offered()).toEqual(offered);
  });
});

describe("an error underlines the mistake and says what it is", () => {
  const bucket = `kind: "token bucket", rate: 1, period: 1`;
  const bad = (config: string) => [
    `new RateLimiter(component, { a: { ${config} } });`,
    `limiter.limit(ctx, "a", { config: { ${config} } });`,
  ];

  const ofOne = "limit check reset getValue credit charge hold".split(" ");

  /** The sources by what they underline, and that by its message. */
  const said: Record<string, Record<string, string[]>> = {
    [`'"message" | "signUp"'`]: {
      '"mesage"': [
        ...[...ofOne, "clearOverride"].flatMap((verb) => [
          `limiter.${verb}(ctx, "mesage");`,
          `limiter.${verb}(ctx, "mesage", { key: "k" });`,
        ]),
        `limiter.schedule(ctx, "mesage", work);`,
        `limiter.whileHolding(action, "mesage", {}, one);`,
        `limiter.hookAPI("mesage");`,
        `limiter.hookAPI("mesage", { key: "k" });`,
        `limiter.hookAPI("mesage", { key: async () => "k" });`,
        `limitHttp(limiter, "mesage", {}, hello);`,
        `limitHttp(limiter, "mesage", { key: async () => "k" }, hello);`,
        `rateLimited(limiter, "mesage");`,
        `rateLimited(limiter, "mesage", { key: async () => "k" });`,
      ],
      name: [
        ...["limitAll", "checkAll", "holdAll"].map(
          (verb) => `limiter.${verb}(ctx, [{ name: "mesage" }]);`,
        ),
        `limiter.whileHoldingAll(action, [{ name: "mesage" }], one);`,
      ],
    },
    [`parameter of type '"message"`]: {
      '"quota"': [`either.limit(ctx, "quota");`],
      '"mesage"': [`either.check(ctx, "mesage", { key: "k" });`],
    },
    [`'"message" | "quota" | "render"'`]: {
      '"mesage"': [
        `mixed.hold(ctx, "mesage");`,
        `mixed.whileHolding(action, "mesage", {}, one);`,
      ],
      name: [`mixed.holdAll(ctx, [{ name: "mesage" }]);`],
    },
    [`'"message" | "quota"'`]: {
      '"mesage"': [
        `mixed.limit(ctx, "mesage");`,
        `mixed.limit(ctx, "mesage", { key: "k" });`,
        `mixed.charge(ctx, "mesage");`,
        `mixed.schedule(ctx, "mesage", work);`,
        `rateLimited(mixed, "mesage");`,
        `limitHttp(mixed, "mesage", {}, hello);`,
      ],
      name: [`mixed.limitAll(ctx, [{ name: "mesage" }]);`],
    },
    [`Needs<"hold or whileHolding, since its kind is concurrency">`]: {
      '"render"': [
        `mixed.limit(ctx, "render");`,
        `mixed.limit(ctx, "render", { key: "k" });`,
        `mixed.charge(ctx, "render");`,
        `mixed.credit(ctx, "render");`,
        `mixed.schedule(ctx, "render", work);`,
        `rateLimited(mixed, "render");`,
        `limitHttp(mixed, "render", {}, hello);`,
      ],
      name: [
        `mixed.limitAll(ctx, [{ name: "render" }]);`,
        `mixed.checkAll(ctx, [{ name: "message" }, { name: "render" }]);`,
      ],
      '"another"': [`limiter.limit(ctx, "another", { config: concurrency });`],
    },
    [`type 'HoldId'`]: {
      lease: [`mixed.settle(ctx, lease, { count: 1 });`],
    },
    "Type 'LeaseId' is not assignable to type 'HoldId'": {
      "{ id: lease, count: 1 }": [
        `mixed.settleAll(ctx, [{ id: lease, count: 1 }]);`,
      ],
    },
    [`type 'MutationCtx'`]: {
      query: [
        ...["limit", "reset", "credit", "charge", "hold", "clearOverride"].map(
          (verb) => `limiter.${verb}(query, "message");`,
        ),
        `limiter.limitAll(query, [{ name: "message" }]);`,
        `limiter.holdAll(query, [{ name: "message" }]);`,
        `limiter.settle(query, "id", { count: 1 });`,
        `limiter.settleAll(query, [{ id: "id" }]);`,
        `limiter.release(query, "id");`,
        `limiter.renew(query, lease);`,
        `limiter.forget(query, "k");`,
        `limiter.setOverride(query, "message", { deny: true });`,
        `limiter.penalize(query, "message", { key: "k", bans: [1], forgetAfter: 1 });`,
      ],
    },
    [`type 'SchedulingCtx'`]: {
      query: [`limiter.schedule(query, "message", work);`],
    },
    [`type 'CancellingCtx'`]: {
      query: [`limiter.cancelScheduled(query, id);`],
      action: [`limiter.cancelScheduled(action, id);`],
    },
    [`type 'ActionCtx'`]: {
      ctx: [
        `limiter.whileHolding(ctx, "message", {}, one);`,
        `limiter.whileHoldingAll(ctx, [{ name: "message" }], one);`,
      ],
      query: [`limiter.whileHolding(query, "message", {}, one);`],
    },
    [`'"message" | (string & Needs<"overrides in its config">)'`]: {
      '"signUp"': [`limiter.setOverride(ctx, "signUp", { deny: true });`],
    },
    [`Needs<"stats in its config">`]: {
      '"quota"': [`mixed.stats(ctx, "quota", { ...range, by: "hour" });`],
    },
    "Did you mean to write 'count'?": {
      cuont: [
        `limiter.limit(ctx, "message", { cuont: 1 });`,
        `limiter.limitAll(ctx, [{ name: "message", cuont: 1 }]);`,
        `mixed.hold(ctx, "message", { cuont: 3 });`,
        `mixed.hold(ctx, "render", { cuont: 3 });`,
        `mixed.holdAll(ctx, [{ name: "message", cuont: 1 }]);`,
        `mixed.whileHolding(action, "message", { cuont: 1 }, one);`,
        `limitHttp(limiter, "message", { cuont: 1 }, hello);`,
        `rateLimited(limiter, "message", { cuont: 1 });`,
      ],
    },
    "Did you mean to write 'maxReserved'?": {
      maxReservd: [bad(`${bucket}, maxReservd: 1`)[0]!],
    },
    "Did you mean to write 'capacity'?": {
      capacityy: [
        bad(`${bucket}, capacityy: 1`)[1]!,
        `limiter.limitAll(ctx, [{ name: "a", config: { ${bucket}, capacityy: 1 } }]);`,
      ],
    },
    "Type 'string' is not assignable to type 'number'": {
      period: bad(`kind: "token bucket", rate: 1, period: "day"`),
    },
    "'period' is missing": { a: [bad(`kind: "token bucket", rate: 1`)[0]!] },
    [`'"token bucket" | "fixed window" | "concurrency"'`]: {
      kind: [bad(`kind: "leaky", rate: 1, period: 1`)[0]!],
    },
    "not assignable to type 'null": { start: [bad(`${bucket}, start: 5`)[1]!] },
    [`'"user" & Needs<"a key, since its config has requireKey">'`]: {
      '"user"': [
        ...ofOne.flatMap((verb) => [
          `keyed.${verb}(ctx, "user");`,
          `keyed.${verb}(ctx, "user", {});`,
        ]),
        `keyed.limit(ctx, "user", { key: undefined });`,
        `keyed.hookAPI("user");`,
        `keyed.hookAPI("user", {});`,
        `rateLimited(keyed, "user");`,
        `rateLimited(keyed, "user", {});`,
        `keyed.schedule(ctx, "user", work);`,
        `keyed.whileHolding(action, "user", {}, one);`,
      ],
    },
    [`type '"user" & Needs<"a key, since its config has requireKey">'`]: {
      name: [
        ...["limitAll", "checkAll", "holdAll"].map(
          (verb) => `keyed.${verb}(ctx, [{ name: "user" }]);`,
        ),
        `keyed.whileHoldingAll(action, [{ name: "user" }], one);`,
      ],
    },
    "'reserve' does not exist": {
      reserve: [`mixed.holdAll(ctx, [{ name: "message", reserve: true }]);`],
    },
  };
  const mistakes = write(
    Object.entries(said).flatMap(([message, underlined]) =>
      Object.entries(underlined).flatMap(([at, sources]) =>
        sources.map((source): [string, string, string] => [
          source,
          at,
          message,
        ]),
      ),
    ),
  );

  test.for(mistakes)("$source", ({ piece, rest: [at, message] }) => {
    const errors = piece.errors();
    expect(errors).toEqual([
      { at, message: expect.stringContaining(message) as unknown },
    ]);
    // The first line says what to do.
    if (!/Needs<|Ctx'|'"message|Did you/.test(message)) return;
    expect(errors[0]!.message.split("\n")[0]).toContain(message);
  });
});
