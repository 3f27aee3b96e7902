import { expect, test } from "vitest";
import { api } from "../../demo/convex/_generated/api.js";
import { newVisitor } from "./visitor.js";

const name = "sendMessage";

test("a ban denies, is listed, and is lifted", async () => {
  const { session, http } = newVisitor();
  const send = () =>
    http.mutation(api.messages.send, { session, text: "hello" });
  const banned = async () => {
    const listed = await http.query(api.operators.listOverrides, { name });
    return listed.some(({ key }) => key === session);
  };
  await http.mutation(api.operators.ban, { key: session, minutes: 1 });
  expect(await banned()).toBe(true);
  await expect(send()).rejects.toMatchObject({ data: { kind: "RateLimited" } });
  await http.mutation(api.operators.clear, { key: session });
  expect(await banned()).toBe(false);
  await send();
});

test("bans in a row last longer, until they are lifted", async () => {
  const { session, http } = newVisitor();
  const send = () =>
    http.mutation(api.messages.send, { session, text: "hello" });
  const penalize = () =>
    http.mutation(api.operators.penalize, { key: session });
  expect(await penalize()).toEqual({ retryAfter: 60_000 });
  await expect(send()).rejects.toMatchObject({ data: { kind: "RateLimited" } });
  expect(await penalize()).toEqual({ retryAfter: 600_000 });
  await http.mutation(api.operators.clear, { key: session });
  await send();
});

test.each(["key", "depleted"] as const)(
  "a key in use is found page by page, by order %s, until it is reset",
  async (order) => {
    const { session, http } = newVisitor();
    const isListed = async () => {
      let cursor: string | null = null;
      for (;;) {
        const listed: typeof api.operators.list._returnType = await http.query(
          api.operators.list,
          { name, order, paginationOpts: { numItems: 50, cursor } },
        );
        if (listed.page.some(({ key }) => key === session)) return true;
        if (listed.isDone) return false;
        cursor = listed.continueCursor;
      }
    };
    await http.mutation(api.messages.send, { session, text: "hello" });
    expect(await isListed()).toBe(true);
    await http.mutation(api.operators.reset, { key: session });
    expect(await isListed()).toBe(false);
  },
);

test("denials are counted", async () => {
  const { session, http } = newVisitor();
  const total = async () =>
    (await http.query(api.denials.totals, {})).organisation ?? 0;
  const before = await total();
  const perform = (user: "Ada" | "Grace") =>
    http.mutation(api.organisations.perform, {
      session,
      user,
      operation: "upload",
    });
  for (const user of ["Ada", "Ada", "Grace", "Grace"] as const) {
    await perform(user);
  }
  expect(await perform("Grace")).toMatchObject({ blockedBy: "organisation" });
  expect(await total()).toBeGreaterThan(before);
});
