/** A small app for this folder's tests, with a component, in place of folders of modules. */
import {
  actionGeneric,
  anyApi,
  type ApiFromModules,
  componentsGeneric,
  cronJobs,
  type DataModelFromSchemaDefinition,
  defineSchema,
  defineTable,
  type FilterApi,
  type FunctionReference,
  type FunctionType,
  httpActionGeneric,
  httpRouter,
  internalMutationGeneric,
  makeFunctionReference,
  type MutationBuilder,
  mutationGeneric,
  type QueryBuilder,
  queryGeneric,
} from "convex/server";
import { ConvexError, v } from "convex/values";
import type { App, Modules } from "../src/app.js";

const schema = defineSchema({
  messages: defineTable({ text: v.string() }).index("text", ["text"]),
});
type DataModel = DataModelFromSchemaDefinition<typeof schema>;
const query = queryGeneric as QueryBuilder<DataModel, "public">;
const mutation = mutationGeneric as MutationBuilder<DataModel, "public">;

const mutationAt = (name: string) => makeFunctionReference<"mutation">(name);

/** How often the query `messages.count` has run for each text. */
export const countRuns = new Map<string, number>();

const messages = {
  list: query({
    args: {},
    handler: async (ctx) => {
      const rows = await ctx.db.query("messages").collect();
      return rows.map((row) => row.text);
    },
  }),

  count: query({
    args: { text: v.string() },
    handler: async (ctx, { text }) => {
      countRuns.set(text, (countRuns.get(text) ?? 0) + 1);
      const rows = await ctx.db
        .query("messages")
        .withIndex("text", (q) => q.eq("text", text))
        .collect();
      return rows.length;
    },
  }),

  rename: mutation({
    args: { from: v.string(), to: v.string() },
    handler: async (ctx, { from, to }) => {
      const row = await ctx.db
        .query("messages")
        .withIndex("text", (q) => q.eq("text", from))
        .first();
      if (row !== null) await ctx.db.patch(row._id, { text: to });
    },
  }),

  /** Sends `kept`, and calls a mutation that is rolled back. */
  sendHalf: mutation({
    args: { kept: v.string() },
    handler: async (ctx, { kept }) => {
      await ctx.db.insert("messages", { text: kept });
      await ctx
        .runMutation(mutationAt("messages:refuse"))
        .catch(() => undefined);
    },
  }),

  send: mutation({
    args: { text: v.string() },
    returns: v.string(),
    handler: async (ctx, { text }) => {
      await ctx.db.insert("messages", { text });
      return `sent ${text}`;
    },
  }),

  sendInternally: internalMutationGeneric({
    args: { text: v.string() },
    handler: async (ctx, { text }) => {
      await ctx.db.insert("messages", { text });
    },
  }),

  sendLater: mutation({
    args: { text: v.string() },
    handler: async (ctx, { text }) => {
      await ctx.scheduler.runAfter(0, mutationAt("messages:sendInternally"), {
        text,
      });
    },
  }),

  /** Writes and then throws, so that nothing is written. */
  refuse: mutation({
    args: {},
    handler: async (ctx) => {
      await ctx.db.insert("messages", { text: "never" });
      throw new ConvexError({ kind: "Refused", after: 12n });
    },
  }),

  /** Fails for as long as there are no messages. */
  first: query({
    args: {},
    handler: async (ctx) => {
      const row = await ctx.db.query("messages").first();
      if (row === null) throw new ConvexError({ kind: "Empty" });
      return row.text;
    },
  }),

  jobs: query({
    args: {},
    handler: async (ctx) => {
      const jobs = await ctx.db.system.query("_scheduled_functions").collect();
      return jobs.map((job) => job.state.kind);
    },
  }),

  /** Returns the clock at the beginning, a while later, and in a component. */
  clock: mutation({
    args: {},
    handler: async (ctx) => {
      const begin = Date.now();
      const until = performance.now() + 3;
      while (performance.now() < until);
      return [
        begin,
        new Date().getTime(),
        await ctx.runQuery(tally.counts.now, {}),
      ];
    },
  }),

  address: mutation({
    args: {},
    handler: async (ctx) => (await ctx.meta.getRequestMetadata()).ip,
  }),

  whoami: query({
    args: {},
    handler: async (ctx) =>
      (await ctx.auth.getUserIdentity())?.subject ?? "nobody",
  }),
};

type None = Record<string, never>;

const tally = componentsGeneric().tally as unknown as {
  counts: {
    add: FunctionReference<"mutation", "internal", None>;
    total: FunctionReference<"query", "internal", None, number>;
    now: FunctionReference<"query", "internal", None, number>;
  };
};

const counts = {
  add: actionGeneric({
    args: {},
    handler: async (ctx) => {
      await ctx.runMutation(tally.counts.add, {});
      return "added";
    },
  }),
  total: query({
    args: {},
    handler: async (ctx): Promise<number> =>
      ctx.runQuery(tally.counts.total, {}),
  }),
};

const crons = cronJobs();
crons.interval("greet", { minutes: 1 }, mutationAt("messages:send"), {
  text: "a minute has passed",
});
crons.daily(
  "add",
  { hourUTC: 12, minuteUTC: 30 },
  makeFunctionReference<"action">("counts:add"),
);

const http = httpRouter();
http.route({
  path: "/send",
  method: "POST",
  handler: httpActionGeneric(async (ctx, request) => {
    const text = await request.text();
    await ctx.runMutation(mutationAt("messages:send"), {
      text,
    });
    return new Response(text.toUpperCase(), {
      status: 201,
      headers: { "X-Source": "fixture" },
    });
  }),
});
http.route({
  path: "/sendInAnHour",
  method: "POST",
  handler: httpActionGeneric(async (ctx) => {
    await ctx.scheduler.runAfter(
      3_600_000,
      mutationAt("messages:sendInternally"),
      { text: "an hour later" },
    );
    return new Response();
  }),
});

const tallyCrons = cronJobs();
tallyCrons.hourly(
  "increment",
  { minuteUTC: 0 },
  mutationAt("counts:increment"),
);

const tallySchema = defineSchema({ counts: defineTable({}) });
const tallyCounts = {
  /** Counts a moment later, in a transaction of the component's own. */
  add: mutationGeneric({
    args: {},
    handler: async (ctx) => {
      await ctx.scheduler.runAfter(0, mutationAt("counts:increment"));
    },
  }),
  increment: internalMutationGeneric({
    args: {},
    handler: async (ctx) => {
      await ctx.db.insert("counts", {});
    },
  }),
  now: queryGeneric({ args: {}, handler: async () => Date.now() }),
  total: queryGeneric({
    args: {},
    handler: async (ctx) => (await ctx.db.query("counts").collect()).length,
  }),
};

const holding = (module: object) => () => Promise.resolve(module);

const generated = { "./_generated/api.js": holding({}) };

const appWith = (own: Modules, ofTally: Modules): App => ({
  schema,
  modules: {
    ...generated,
    "./messages.ts": holding(messages),
    "./counts.ts": holding(counts),
    "./http.ts": holding({ default: http }),
    ...own,
  },
  components: [
    (t) =>
      t.registerComponent("tally", tallySchema, {
        ...generated,
        "./counts.ts": holding(tallyCounts),
        ...ofTally,
      }),
  ],
});

export const app = appWith({}, {});

/** The same app with crons of its own and of its component. */
export const appWithCrons = appWith(
  { "./crons.ts": holding({ default: crons }) },
  { "./crons.ts": holding({ default: tallyCrons }) },
);

type Api = FilterApi<
  ApiFromModules<{ messages: typeof messages; counts: typeof counts }>,
  FunctionReference<FunctionType, "public">
>;

/** The app's functions as a client names them. */
export const api = anyApi as unknown as Api;

/** Functions that no client may call. */
export const uncallable = {
  missing: makeFunctionReference<"query">("messages:missing"),
  internal: makeFunctionReference<"mutation", { text: string }>(
    "messages:sendInternally",
  ),
};
