import { registerDashboard } from "convex-rate-limiter/dashboard";
import {
  httpRouter,
  type DataModelFromSchemaDefinition,
  type GenericActionCtx,
} from "convex/server";
import { test } from "vitest";
import schema from "../../demo/convex/schema.js";
import { rateLimiter } from "./dashboard.js";

type Ctx = GenericActionCtx<DataModelFromSchemaDefinition<typeof schema>>;

const http = httpRouter();

test("a dashboard takes a secret, which may be undefined, or authorize", () => {
  registerDashboard(http, rateLimiter, { secret: process.env.SECRET });
  registerDashboard(http, rateLimiter, { authorize: () => true, path: "/ops" });
  registerDashboard(http, rateLimiter, {
    authorize: async (ctx: Ctx, request: Request) =>
      request.headers.has("Authorization") &&
      (await ctx.auth.getUserIdentity())?.name !== undefined,
  });
  registerDashboard(http, rateLimiter, {
    authorize: async () => "Ada",
    label: "Admin token",
  });
  registerDashboard(http, rateLimiter, {
    secret: "",
    keyName: async (ctx: Ctx, key) =>
      (await ctx.auth.getUserIdentity())?.name ?? key,
  });
});

test("a dashboard refuses no option, both options, and verdicts of other types", () => {
  // @ts-expect-error It would be open to everybody.
  registerDashboard(http, rateLimiter, {});
  // @ts-expect-error One of both.
  registerDashboard(http, rateLimiter, { secret: "", authorize: () => true });
  // @ts-expect-error A text or nothing.
  registerDashboard(http, rateLimiter, { secret: "", keyName: () => 1 });
  // @ts-expect-error True, false or a name.
  registerDashboard(http, rateLimiter, { authorize: () => ({ name: "Ada" }) });
});
