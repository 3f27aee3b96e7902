import { HOUR } from "convex-rate-limiter";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { denialOf } from "../support/denialOf.js";
import {
  action,
  finishScheduled,
  mutation,
  Page,
  repeat,
} from "../readme/page.js";

const start = (recipe: string) => new Page(`docs/recipes.md#${recipe}`).start();

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("failed logins", () => {
  const email = "ann@example.com";
  const withLogin = async () => {
    const t = start("Failed logins");
    await t.run((ctx) =>
      ctx.db.insert("loginCodes", { email, code: "123456" }),
    );
    const logIn = (code: string) =>
      t.mutation(mutation("logins:logIn"), { email, code });
    return { t, logIn };
  };

  test("after five wrong codes even the right one is refused for a while", async () => {
    const { t, logIn } = await withLogin();
    const wrong = await repeat(5, () => logIn("000000"));
    expect(wrong).toEqual(Array(5).fill({ ok: false }));
    expect(await logIn("123456")).toEqual({ ok: false, retryAfter: HOUR / 5 });
    const shouted = { email: "ANN@example.com", code: "123456" };
    expect(await t.mutation(mutation("logins:logIn"), shouted)).toMatchObject({
      ok: false,
    });
    vi.advanceTimersByTime(HOUR / 5);
    expect(await logIn("123456")).toEqual({ ok: true });
  });

  test("60 tries at an account block their address, but not the account's owner", async () => {
    const { t } = await withLogin();
    const tryFrom = (ip: string, code: string) =>
      t
        .withRequestMetadata({ ip })
        .mutation(mutation("logins:logIn"), { email, code });
    const tries = await repeat(60, () => tryFrom("192.0.2.1", "000000"));
    expect(tries.slice(0, 5)).toEqual(Array(5).fill({ ok: false }));
    expect(tries[5]).toEqual({ ok: false, retryAfter: HOUR / 5 });
    expect(tries[30]).toEqual({ ok: false, retryAfter: HOUR / 30 });
    const others = { email: "bob@example.com", code: "000000" };
    const call = mutation("logins:logIn");
    const bob = await t
      .withRequestMetadata({ ip: "192.0.2.1" })
      .mutation(call, others);
    expect(bob).toEqual({ ok: false, retryAfter: HOUR / 30 });

    vi.advanceTimersByTime(HOUR / 5);
    expect(await tryFrom("198.51.100.1", "123456")).toEqual({ ok: true });
  });

  test("logins that succeed cost nothing", async () => {
    const { logIn } = await withLogin();
    const right = await repeat(40, () => logIn("123456"));
    expect(right).toEqual(Array(40).fill({ ok: true }));
    const wrong = await repeat(5, () => logIn("000000"));
    expect(wrong).toEqual(Array(5).fill({ ok: false }));
  });
});

describe("password resets", () => {
  const asking = () => {
    const t = start("Password resets, codes and invitations by email");
    const fetched = vi.fn(async () => new Response());
    vi.stubGlobal("fetch", fetched);
    const ask = async (email: string, ip = "192.0.2.1") => {
      const caller = t.withRequestMetadata({ ip });
      const answer = await caller.mutation(mutation("resets:ask"), { email });
      await finishScheduled(t);
      return answer.ok;
    };
    return { ask, fetched };
  };

  test("an address gets three mails an hour, whoever asks", async () => {
    const { ask, fetched } = asking();
    const oks = [
      await ask("ann@example.com"),
      await ask("Ann@example.com"),
      await ask("ann@example.com", "192.0.2.2"),
      await ask("ann@example.com", "192.0.2.3"),
    ];
    expect(oks).toEqual([true, true, true, false]);
    expect(fetched).toHaveBeenCalledTimes(3);
  });

  test("a sender causes twenty mails a day, whoever gets them", async () => {
    const { ask } = asking();
    for (let i = 0; i < 20; i++) {
      expect(await ask(`${i}@example.com`)).toBe(true);
    }
    expect(await ask("ann@example.com")).toBe(false);
    expect(await ask("ann@example.com", "192.0.2.2")).toBe(true);
  });
});

test("a campaign uses what is included first, then pays per use up to a ceiling", async () => {
  const t = start("Included, then pay per use");
  const accountId = await t.run((ctx) =>
    ctx.db.insert("accounts", { plan: "pro", timeZone: "UTC" }),
  );
  const send = (count: number) =>
    t.mutation(mutation<unknown>("campaigns:send"), { accountId, count });
  expect(await send(900)).toEqual({ beyond: 0 });
  expect(await send(300)).toEqual({ beyond: 200 });
  expect(await send(4_800)).toEqual({ beyond: 4_800 });
  expect(await denialOf(send(1))).toMatchObject({ name: "paid" });
  vi.setSystemTime(Date.UTC(2026, 1, 1));
  expect(await send(800)).toEqual({ beyond: 0 });
  // The part that was included is given back with the rest.
  await denialOf(send(5_100).then(() => send(101)));
  expect(await send(100)).toEqual({ beyond: 100 });
});

describe("you call Convex from your own server", () => {
  const SECRET = "s".repeat(32);
  beforeEach(() => {
    vi.stubEnv("SERVER_SECRET", SECRET);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  const recipe = () => start("You call Convex from your own server");
  const asking = (t = recipe()) => ({
    t,
    ask: (address: string, secret = SECRET) =>
      t
        // Convex sees the server's address.
        .withRequestMetadata({ ip: "198.51.100.1" })
        .mutation(mutation("questions:ask"), { secret, address, text: "?" }),
  });

  test("each visitor has a limit of their own, in mutations and in HTTP actions", async () => {
    const { t, ask } = asking();
    await repeat(3, () => ask("192.0.2.1"));
    expect(await ask("192.0.2.1")).toMatchObject({ ok: false });
    expect(await ask("192.0.2.2")).toEqual({ ok: true });
    const get = async (visitor: string) => {
      const headers = { "X-Server-Secret": SECRET, "X-Visitor": visitor };
      return (await t.fetch("/answer", { headers })).status;
    };
    expect(await get("192.0.2.1")).toBe(429);
    expect(await get("192.0.2.2")).toBe(200);
  });

  test.for([
    ["no secret", ""],
    ["a part of the secret", SECRET.slice(1)],
    ["the secret twice", SECRET + SECRET],
    ["another secret of the same length", `${SECRET.slice(1)}t`],
  ])("a request with %s is refused", async ([, secret]) => {
    const { t, ask } = asking();
    await expect(ask("192.0.2.1", secret)).rejects.toThrow("Ask the server.");
    const headers = { "X-Server-Secret": secret!, "X-Visitor": "192.0.2.1" };
    await expect(t.fetch("/answer", { headers })).rejects.toThrow("Ask");
    await expect(t.fetch("/answer")).rejects.toThrow("Ask");
  });

  test.for(["", "short"])(
    "every request is refused if the app's secret is %j",
    async (secret) => {
      vi.stubEnv("SERVER_SECRET", secret);
      const { ask } = asking();
      await expect(ask("192.0.2.1", secret)).rejects.toThrow("Ask");
    },
  );
});

describe("anonymous visitors", () => {
  const asking = () => {
    const t = start("Anonymous visitors").withRequestMetadata({
      ip: "192.0.2.1",
    });
    return {
      t,
      ask: (visitorId: string) =>
        t.mutation(mutation("questions:ask"), { visitorId, text: "Why?" }),
    };
  };

  test("a visitor has three questions a minute", async () => {
    const { ask } = asking();
    await repeat(3, () => ask("a"));
    const denied = { ok: false, blockedBy: { name: "askAsVisitor" } };
    expect(await ask("a")).toMatchObject(denied);
    expect(await ask("b")).toEqual({ ok: true });
  });

  test("new visitor ids do not get around the limit of their address", async () => {
    const { ask } = asking();
    for (let i = 0; i < 30; i++) await ask(`visitor ${i}`);
    expect(await ask("visitor 30")).toMatchObject({
      ok: false,
      blockedBy: { name: "askFromAddress" },
    });
  });
});

test("a 429 holds everyone back for its Retry-After, or for 30 s without one", async () => {
  const t = start("Hold everyone back after a 429");
  const fetched = vi.fn(async () => new Response());
  vi.stubGlobal("fetch", fetched);
  const ask = () => t.action(action("provider:ask"), { prompt: "Hi" });
  expect(await ask()).toEqual({ ok: true });
  const headers = { "Retry-After": "12" };
  fetched.mockResolvedValueOnce(new Response(null, { status: 429, headers }));
  expect(await ask()).toEqual({ ok: false, retryAfter: 12_000 });
  vi.advanceTimersByTime(11_999);
  expect(await ask()).toEqual({ ok: false, retryAfter: 1 });
  expect(fetched).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(1);
  fetched.mockResolvedValueOnce(new Response(null, { status: 429 }));
  expect(await ask()).toEqual({ ok: false, retryAfter: 30_000 });
});

test("only a job that fails gives its token back", async () => {
  const t = start("A refund when a job fails");
  const fetched = vi.fn(async () => new Response());
  vi.stubGlobal("fetch", fetched);
  const accountId = await t.run((ctx) =>
    ctx.db.insert("accounts", { plan: "free", timeZone: "UTC" }),
  );
  const convert = () =>
    t.mutation(mutation("videos:start"), { accountId, url: "a.mp4" });
  await repeat(4, convert);
  await finishScheduled(t);
  fetched.mockResolvedValueOnce(new Response(null, { status: 500 }));
  vi.spyOn(console, "error").mockReturnValue();
  expect(await convert()).toEqual({ ok: true });
  await finishScheduled(t);
  expect(await convert()).toEqual({ ok: true });
  expect(await convert()).toMatchObject({ ok: false });
});

test("a mail at 80% is sent once a day for each key, even if a bucket reaches it again", async () => {
  const page = new Page("docs/recipes.md#A mail at 80%");
  const t = page.start();
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (_url: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body));
    return new Response();
  });
  const take = async (key: string, count: number) => {
    await t.mutation((ctx) =>
      page.limits<"exports">().limit(ctx, "exports", { key, count }),
    );
    await finishScheduled(t);
  };
  await take("ann", 79);
  expect(sent).toEqual([]);
  await take("ann", 3);
  await take("bob", 80);
  vi.advanceTimersByTime(HOUR);
  await take("ann", 4);
  expect(sent).toEqual([
    { key: "ann", text: "18 exports left" },
    { key: "bob", text: "20 exports left" },
  ]);
  vi.advanceTimersByTime(24 * HOUR);
  await take("ann", 90);
  expect(sent).toHaveLength(3);
});

test("a render without a free place tries again until there is one", async () => {
  const t = start("Wait for a free place");
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    begun.push(url);
    return new Promise((resolve) => ends.push(() => resolve(new Response())));
  });
  const running = ["a", "b", "c"].map((url) =>
    t.action(action("renders:render"), { url }),
  );
  await vi.waitFor(() => expect(begun).toHaveLength(3));
  const render = action("renders:render");
  await t.action(render, { url: "d" });
  vi.advanceTimersByTime(2 * 1000);
  await t.finishInProgressScheduledFunctions();
  expect(begun).toHaveLength(3);
  ends[0]!();
  await running[0];
  vi.advanceTimersByTime(2 * 1000);
  await vi.waitFor(() => expect(begun).toEqual(["a", "b", "c", "d"]));
  for (const end of ends) end();
  await Promise.all(running);
  await t.finishInProgressScheduledFunctions();
});

describe("a fair share for each tenant", () => {
  const withTenants = () => {
    const page = "docs/sharing.md#A fair share for each tenant";
    const t = new Page(page).start();
    /** Takes 1,000 at a time until it is denied. Returns how many were taken. */
    const takeAll = async (tenantId: string) => {
      const take = mutation("provider:take");
      let taken = 0;
      while ((await t.mutation(take, { tenantId, count: 1_000 })).ok) {
        taken += 1_000;
      }
      return taken;
    };
    return { t, takeAll };
  };

  test("a tenant alone gets its floor and its part of the rest", async () => {
    const { takeAll } = withTenants();
    expect(await takeAll("greedy")).toBe(13_000);
  });

  test("when others have taken the rest, each tenant still has its floor", async () => {
    const { takeAll } = withTenants();
    const taken: number[] = [];
    for (let i = 0; i < 20; i++) taken.push(await takeAll(`tenant ${i}`));
    // `leave` keeps room for all floors, those that are spent too.
    const first = [13_000, 13_000, 13_000];
    expect(taken).toEqual([...first, ...Array<number>(17).fill(3_000)]);
  });

  test("a denied tenant is granted at its `retryAfter`, not before", async () => {
    const { t, takeAll } = withTenants();
    await takeAll("greedy");
    const take = () =>
      t.mutation(mutation("provider:take"), {
        tenantId: "greedy",
        count: 1_000,
      });
    const { retryAfter } = await take();
    vi.advanceTimersByTime(retryAfter! - 1);
    expect((await take()).ok).toBe(false);
    vi.advanceTimersByTime(1);
    expect((await take()).ok).toBe(true);
  });
});
