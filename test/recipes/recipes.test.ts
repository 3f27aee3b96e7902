import { DAY, HOUR, MINUTE, SECOND } from "convex-rate-limiter";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { denialOf } from "../support/denialOf.js";
import { runVacuum } from "../support/host.js";
import { root } from "../support/root.js";
import {
  action,
  finishScheduled,
  mutation,
  Page,
  query,
  repeat,
} from "../readme/page.js";

// Each recipe as its users meet it, also unlucky and hostile ones: twice, at once, back and forth,
// after a reset, and at the end of a month.

const NEW_YEAR = Date.UTC(2026, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ now: NEW_YEAR });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const RECIPES = ["docs/recipes.md", "docs/sharing.md"];

const titlesOf = (file: string) =>
  [...readFileSync(root + file, "utf8").matchAll(/^## (.*)$/gm)].map(
    ([, title]) => title!,
  );

const tested: string[] = [];

/** The tests of a recipe. `start` starts its app. */
function recipe(title: string, tests: (start: () => App) => void): void {
  tested.push(title);
  const file = RECIPES.find((file) => titlesOf(file).includes(title));
  const page = new Page(`${file}#${title}`);
  describe(title, () => tests(() => appOf(page)));
}

type App = ReturnType<typeof appOf>;

function appOf(page: Page) {
  const t = page.start();
  const limits = page.limits<string>();
  return {
    t,
    page,
    limits,
    reset: (name: string, key?: string) =>
      t.mutation((ctx) => limits.reset(ctx, name, { key })),
    addAccount: (plan = "free") =>
      t.run((ctx) => ctx.db.insert("accounts", { plan, timeZone: "UTC" })),
  };
}

/** The app with an account that exports. */
async function withAccount({ t, ...app }: App) {
  const accountId = await app.addAccount();
  return {
    ...app,
    accountId,
    take: () => t.mutation(mutation("exports:start"), { accountId }),
    change: (fields: Record<string, string>) =>
      t.run((ctx) => ctx.db.patch("accounts", accountId, fields)),
  };
}

/** Calls `n` times at once. */
const atOnce = <T>(n: number, call: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => call(i)));

const granted = (answers: readonly { ok: boolean }[]) =>
  answers.filter(({ ok }) => ok).length;

/** Calls until it is denied, and returns how many were granted. */
async function drain(call: () => Promise<{ ok: boolean }>): Promise<number> {
  let n = 0;
  while ((await call()).ok) n++;
  return n;
}

recipe("Failed logins", (start) => {
  const own = { email: "ann@example.com", code: "123456" };
  const withLogin = async () => {
    const { t, reset } = start();
    await t.run((ctx) => ctx.db.insert("loginCodes", own));
    const logIn = (code: string, email = own.email, ip = "192.0.2.1") =>
      t
        .withRequestMetadata({ ip })
        .mutation(mutation("logins:logIn"), { email, code });
    return { logIn, reset };
  };

  test("after five wrong codes even the right one is refused for a while, or until a reset", async () => {
    const { logIn, reset } = await withLogin();
    const wrong = () => repeat(5, () => logIn("000000"));
    expect(await wrong()).toEqual(Array(5).fill({ ok: false }));
    const denied = { ok: false, retryAfter: HOUR / 5 };
    expect(await logIn(own.code)).toEqual(denied);
    expect(await logIn(own.code, "ANN@example.com")).toEqual(denied);
    vi.advanceTimersByTime(HOUR / 5);
    expect(await logIn(own.code)).toEqual({ ok: true });
    await wrong();
    await reset("failedLogin", own.email);
    expect(await logIn(own.code)).toEqual({ ok: true });
  });

  test("60 tries at an account block their address, but not the account's owner", async () => {
    const { logIn } = await withLogin();
    const tries = await repeat(60, () => logIn("000000"));
    expect(tries.slice(0, 5)).toEqual(Array(5).fill({ ok: false }));
    expect(tries[5]).toEqual({ ok: false, retryAfter: HOUR / 5 });
    const denied = { ok: false, retryAfter: HOUR / 30 };
    expect(tries[30]).toEqual(denied);
    expect(await logIn("000000", "bob@example.com")).toEqual(denied);

    vi.advanceTimersByTime(HOUR / 5);
    const elsewhere = await logIn(own.code, own.email, "198.51.100.1");
    expect(elsewhere).toEqual({ ok: true });
  });

  test("logging in to an account of one's own in between costs nothing, and gives no guess back", async () => {
    const { logIn } = await withLogin();
    for (let i = 0; i < 30; i++) {
      expect(await logIn("0", `${i}@example.com`)).toEqual({ ok: false });
      if (i < 29) expect(await logIn(own.code)).toEqual({ ok: true });
    }
    const { retryAfter } = await logIn(own.code);
    expect(retryAfter).toBe(HOUR / 30);
  });
});

recipe("Password resets, codes and invitations by email", (start) => {
  const asking = () => {
    const { t } = start();
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
    vi.setSystemTime(NEW_YEAR + HOUR);
    const more = await repeat(4, () => ask("ann@example.com"));
    expect(more).toEqual([true, true, true, false]);
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

recipe("A day in the user's time zone", (start) => {
  test("each day of the account's zone has 100, also when its clocks change", async () => {
    // Noon in New York, on the day before its clocks change.
    vi.setSystemTime(Date.parse("2026-03-07T17:00:00Z"));
    const { take, change } = await withAccount(start());
    await change({ timeZone: "America/New_York" });
    expect(await drain(take)).toBe(100);
    const opensAt = Date.parse("2026-03-08T05:00:00Z");
    expect(await take()).toEqual({ ok: false, opensAt });
    vi.setSystemTime(opensAt);
    expect(await drain(take)).toBe(100);
    const next = Date.parse("2026-03-09T04:00:00Z");
    expect(await take()).toEqual({ ok: false, opensAt: next });
  });

  test("moving around the world gives nothing", async () => {
    const { take, change } = await withAccount(start());
    expect(await drain(take)).toBe(100);
    for (const timeZone of ["Pacific/Kiritimati", "Pacific/Niue", "UTC"]) {
      await change({ timeZone });
      expect(await drain(take)).toBe(0);
    }
  });

  test("going pro and back gives nothing", async () => {
    const { take, change } = await withAccount(start());
    expect(await drain(take)).toBe(100);
    await change({ plan: "pro" });
    expect(granted(await repeat(200, take))).toBe(200);
    await change({ plan: "free" });
    expect(await drain(take)).toBe(0);
  });
});

recipe("Fewer at night", (start) => {
  // With one call a minute, each hour refills what it used.
  const searching = () => {
    const app = start();
    return {
      ...app,
      plan: () => app.t.mutation(mutation<null>("nights:plan"), {}),
      take: (count = 1) =>
        app.t.mutation((ctx) =>
          app.limits.limit(ctx, "search", { key: "ann", count }),
        ),
    };
  };
  const at = (hours: number) => vi.setSystemTime(NEW_YEAR + hours * HOUR);

  /** Plans each hour, as the cron job does, until this hour of the year. */
  async function planUntil(hours: number, plan: () => Promise<null>) {
    for (let next = Date.now() + HOUR; next < NEW_YEAR + hours * HOUR;) {
      vi.setSystemTime(next);
      await plan();
      next += HOUR;
    }
    at(hours);
  }

  test("at night there are 20 an hour, and by day 100, each day", async () => {
    const { plan, take } = searching();
    await plan();
    for (const day of [0, 24, 48]) {
      await planUntil(day + 20 - 1e-6, plan);
      expect(granted(await atOnce(110, () => take()))).toBe(100);
      await planUntil(day + 22, plan);
      expect(granted(await atOnce(30, () => take()))).toBe(20);
      await planUntil(day + 32, plan);
      expect((await take(21)).ok).toBe(true);
    }
  });

  test("a wait knows when the night begins", async () => {
    const { plan, take } = searching();
    await plan();
    await planUntil(19.9, plan);
    expect((await take(100)).ok).toBe(true);
    const { retryAfter } = await take(15);
    expect(retryAfter).toBeGreaterThan(0.15 * HOUR);
    const opensAt = Date.now() + retryAfter!;
    vi.setSystemTime(opensAt - 1);
    expect((await take(15)).retryAfter).toBe(1);
    vi.setSystemTime(opensAt);
    expect((await take(15)).ok).toBe(true);
  });

  test.for([19.9, 20, 23.5, 31])(
    "what no night allows waits for the morning, asked at hour %d",
    async (hour) => {
      const { plan, take } = searching();
      await plan();
      await planUntil(hour, plan);
      await plan();
      await take(hour < 20 ? 100 : 20);
      const { retryAfter } = await take(30);
      const opensAt = Date.now() + retryAfter!;
      expect(opensAt).toBeGreaterThanOrEqual(NEW_YEAR + 32 * HOUR);
      await planUntil((opensAt - 1 - NEW_YEAR) / HOUR, plan);
      expect(await take(30)).toEqual({ ok: false, retryAfter: 1 });
      vi.setSystemTime(opensAt);
      expect((await take(30)).ok).toBe(true);
    },
  );

  test("plans at once, or late, or after a reset change nothing", async () => {
    const { plan, take, reset } = searching();
    at(12);
    await atOnce(3, plan);
    at(20);
    await atOnce(3, plan);
    await reset("search", "ann");
    expect(granted(await atOnce(30, () => take()))).toBe(20);
    at(20.5);
    await plan();
    expect(granted(await atOnce(30, () => take()))).toBe(10);
    at(44 - 1e-6);
    expect(granted(await atOnce(110, () => take()))).toBe(100);
    at(45);
    expect(granted(await atOnce(30, () => take()))).toBe(20);
  });
});

recipe("Plans in my users table", (start) => {
  test("back and forth, a month has 1,000, however often", async () => {
    const { take, change } = await withAccount(start());
    let total = await drain(take);
    expect(total).toBe(100);
    for (let i = 0; i < 3; i++) {
      await change({ plan: "pro" });
      total += await drain(take);
      await change({ plan: "free" });
      expect(await drain(take)).toBe(0);
    }
    expect(total).toBe(1_000);
  });

  test.for([
    ["free", 40],
    ["pro", 940],
  ] as const)("after 60, %s has %i left", async ([plan, left]) => {
    const { take, change } = await withAccount(start());
    await repeat(60, take);
    for (const each of ["pro", "free", plan] as const)
      await change({ plan: each });
    expect(await drain(take)).toBe(left);
  });

  test("the month that ends refills the plan that then holds", async () => {
    const { take, change } = await withAccount(start());
    await change({ plan: "pro" });
    expect(await drain(take)).toBe(1_000);
    const [, february, march] = [0, 1, 2].map((m) => Date.UTC(2026, m, 1));
    vi.setSystemTime(february! - 1);
    expect(await take()).toEqual({ ok: false, retryAfter: 1 });
    vi.setSystemTime(february!);
    await change({ plan: "free" });
    expect(await drain(take)).toBe(100);
    expect(await take()).toEqual({ ok: false, retryAfter: march! - february! });
  });

  test("a reset gives the month of the plan again, not more", async () => {
    const { take, reset, accountId } = await withAccount(start());
    await drain(take);
    await reset("exports", accountId);
    expect(await drain(take)).toBe(100);
  });
});

recipe("Included, then pay per use", (start) => {
  test("a campaign uses what is included first, then pays per use up to a ceiling", async () => {
    const { t, addAccount } = start();
    const accountId = await addAccount("pro");
    const send = (count: number) =>
      t.mutation(mutation<unknown>("campaigns:send"), { accountId, count });
    const campaigns = await atOnce(2, (i) => send(900 - i * 600));
    expect(campaigns).toEqual([{ beyond: 0 }, { beyond: 200 }]);
    expect(await send(4_200)).toEqual({ beyond: 4_200 });
    for (const { name } of await repeat(3, () => denialOf(send(601)))) {
      expect(name).toBe("paid");
    }
    expect(await send(600)).toEqual({ beyond: 600 });
    vi.setSystemTime(Date.UTC(2026, 1, 1));
    expect(await send(800)).toEqual({ beyond: 0 });
    // The part that was included is given back with the rest.
    await expect(send(5_201)).rejects.toThrow("exceeds");
    expect(await send(5_200)).toEqual({ beyond: 5_000 });
  });
});

recipe("Anonymous visitors", (start) => {
  test("an exempt address asks without end, each visitor with their own limit, until it is cleared", async () => {
    const { t, limits, reset } = start();
    const from = (ip: string) => t.withRequestMetadata({ ip });
    const ask = (ip: string, visitorId: string) =>
      from(ip).mutation(mutation("questions:ask"), { visitorId, text: "?" });
    const exempt = () => t.mutation(mutation("fragments:fragment0"), {});
    const office = "::ffff:192.0.2.1";
    for (let i = 0; i < 2; i++) {
      await atOnce(2, exempt);
      const visitors = await atOnce(100, (n) => ask(office, `${i} ${n}`));
      expect(granted(visitors)).toBe(100);
      expect(granted(await atOnce(9, () => ask(office, "one")))).toBe(3);
      vi.setSystemTime(Date.now() + HOUR);
      await reset("askFromAddress", "192.0.2.1");
    }
    for (let i = 0; i < 2; i++) {
      const others = await atOnce(40, (n) => ask("192.0.2.2", `${n}`));
      expect(granted(others)).toBe(30);
      vi.setSystemTime(Date.now() + HOUR);
    }
    await t.mutation((ctx) =>
      limits.clearOverride(ctx, "askFromAddress", { key: "192.0.2.1" }),
    );
    const again = await atOnce(40, (n) => ask(office, `again ${n}`));
    expect(granted(again)).toBe(30);
  });
});

recipe("You call Convex from your own server", (start) => {
  const SECRET = "s".repeat(32);
  beforeEach(() => {
    vi.stubEnv("SERVER_SECRET", SECRET);
  });
  const asking = () => {
    const { t } = start();
    // Convex sees the server's address.
    const server = t.withRequestMetadata({ ip: "198.51.100.1" });
    const ask = (address: string, secret = SECRET) =>
      server.mutation(mutation("questions:ask"), {
        secret,
        address,
        text: "?",
      });
    return { t, ask };
  };

  test("each visitor has a limit of their own, in mutations and in HTTP actions, however the address is written", async () => {
    const { t, ask } = asking();
    const one = (i: number) => ask(`${i % 2 ? "::ffff:" : ""}192.0.2.1`);
    expect(granted(await atOnce(10, one))).toBe(3);
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

recipe("Hold everyone back after a 429", (start) => {
  test("a 429 holds everyone back for its Retry-After, or for 30 s without one", async () => {
    const { t } = start();
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

  test("no scheduled letter is lost if the provider twice answers 429 for some seconds", async () => {
    const { t, limits } = start();
    // When the provider answers 429, in seconds.
    const closed = [
      [2, 14],
      [16, 20],
    ];
    const delivered: string[] = [];
    let refused = 0;
    vi.stubGlobal("fetch", async (_url: string, { body }: { body: string }) => {
      const now = (Date.now() - NEW_YEAR) / SECOND;
      const [, until] =
        closed.find(([from, to]) => now >= from! && now < to!) ?? [];
      if (until === undefined) {
        delivered.push(body);
        return new Response();
      }
      refused++;
      const headers = { "Retry-After": String(Math.ceil(until - now)) };
      return new Response(null, { status: 429, headers });
    });
    const letters = Array.from({ length: 45 }, (_, i) => `letter ${i}`);
    await t.mutation(async (ctx) => {
      // From here on, one every 120 ms.
      await limits.charge(ctx, "provider", { count: 500 });
    });
    for (const letter of letters) {
      await t.mutation(mutation("letters:plan"), { letter });
    }
    await finishScheduled(t);
    expect(delivered.toSorted()).toEqual(letters.toSorted());
    expect(delivered.slice(0, 5)).toEqual(letters.slice(0, 5));
    expect(refused).toBe(2);
  });

  test("of two bans at once the longer one holds, in either order", async () => {
    for (const waits of [
      ["60", "5"],
      ["5", "60"],
    ]) {
      const { t } = start();
      let i = 0;
      vi.stubGlobal("fetch", async () => {
        const headers = { "Retry-After": waits[i++]! };
        return new Response(null, { status: 429, headers });
      });
      const ask = () => t.action(action("provider:ask"), { prompt: "Hi" });
      await atOnce(2, ask);
      expect(await ask()).toEqual({ ok: false, retryAfter: MINUTE });
      expect(i).toBe(2);
    }
  });

  const following = () => {
    const { t, page, limits } = start();
    const { follow } = page.loader.load("convex/remaining.ts") as {
      follow: (ctx: unknown, response: Response) => Promise<void>;
    };
    return {
      told: (left?: string) => {
        const headers: Record<string, string> =
          left === undefined ? {} : { "X-RateLimit-Remaining": left };
        return t.action((ctx) => follow(ctx, new Response(null, { headers })));
      },
      take: (count: number) =>
        t.mutation((ctx) => limits.limit(ctx, "provider", { count })),
      left: () =>
        t.run(async (ctx) => (await limits.getValue(ctx, "provider")).value),
      ban: () =>
        t.mutation(mutation<null>("provider:ban"), { seconds: 5 * 60 }),
      reset: () => t.mutation((ctx) => limits.reset(ctx, "provider")),
    };
  };

  test.for([
    ["400", 400],
    ["0", 0],
    ["499", 499],
    ["500", 500],
    ["10000", 500],
    [undefined, 500],
    ["", 500],
    ["70, 500;w=60", 70],
    ["-1", 500],
    ["many", 500],
  ] as const)("%s left leaves %i of 500", async ([header, left]) => {
    const { told, left: now } = following();
    for (let i = 0; i < 2; i++) {
      await told(header);
      expect(await now()).toBe(left);
    }
  });

  test("answers at once, in any order, leave what the lowest says", async () => {
    const { told, left, take } = following();
    await take(50);
    await Promise.all(["480", "300", "470"].map(told));
    expect(await left()).toBe(300);
    await told("449");
    expect(await left()).toBe(300);
    // Refilled a minute later, whatever a late answer said.
    vi.setSystemTime(NEW_YEAR + MINUTE);
    expect((await take(500)).ok).toBe(true);
  });

  test("a ban is left as it is, and a reset fills the limit", async () => {
    const { told, left, ban, reset } = following();
    await told("20");
    await told("30");
    expect(await left()).toBe(20);
    await reset();
    expect(await left()).toBe(500);
    await ban();
    await told("10");
    expect(await left()).toBe(0);
    vi.setSystemTime(NEW_YEAR + 5 * MINUTE);
    expect(await left()).toBe(500);
  });
});

recipe("A refund when a job fails", (start) => {
  test("only a job that fails gives its token back, once", async () => {
    const { t, addAccount } = start();
    const fetched = vi.fn(async () => new Response());
    vi.stubGlobal("fetch", fetched);
    const accountId = await addAccount();
    const convert = () =>
      t.mutation(mutation("videos:start"), { accountId, url: "a.mp4" });
    await repeat(4, convert);
    await finishScheduled(t);
    fetched.mockImplementation(async () => new Response(null, { status: 500 }));
    vi.spyOn(console, "error").mockReturnValue();
    expect(await convert()).toEqual({ ok: true });
    await finishScheduled(t);
    const jobs = await t.run((ctx) =>
      ctx.db.system.query("_scheduled_functions").collect(),
    );
    const again = jobs.at(-1)!.args[0] as Record<string, unknown>;
    await expect(t.action(action("videos:convert"), again)).rejects.toThrow();
    expect(granted(await atOnce(8, convert))).toBe(1);
  });
});

recipe("A usage page", (start) => {
  test("shows what is left, also after a reset and when the month has ended", async () => {
    const { t, limits, reset } = start();
    const ann = t.withIdentity({ subject: "ann" });
    const left = async () =>
      (await ann.query(query<{ value: number }>("account:getRateLimit"), {}))
        .value;
    const take = (count: number) =>
      t.run((ctx) => limits.limit(ctx, "exports", { key: "ann", count }));
    await take(30);
    expect(await left()).toBe(70);
    await reset("exports", "ann");
    expect(await left()).toBe(100);
    await expect(t.query(query("account:getRateLimit"), {})).rejects.toThrow(
      "Sign in first.",
    );
  });

  const exporting = () => {
    const { t, reset } = start();
    const ann = t.withIdentity({ subject: "ann" });
    return {
      t,
      reset,
      take: () => ann.mutation(mutation("exports:start"), {}),
      days: () =>
        t.run(async (ctx) => {
          const rows = await ctx.db.query("usage").collect();
          return rows.map(({ _id, _creationTime, ...row }): unknown => row);
        }),
    };
  };

  test("has what was granted on each day, at once, after a reset, and over midnight", async () => {
    const { take, days, reset } = exporting();
    expect(granted(await atOnce(120, take))).toBe(100);
    await reset("exports", "ann");
    vi.setSystemTime(NEW_YEAR + DAY - 1);
    await atOnce(3, take);
    vi.setSystemTime(NEW_YEAR + DAY);
    await atOnce(2, take);
    expect(await days()).toEqual([
      { userId: "ann", day: "2026-01-01", count: 103 },
      { userId: "ann", day: "2026-01-02", count: 2 },
    ]);
  });

  test("counts no call of a mutation that throws", async () => {
    const { t, days } = exporting();
    const thrown = t.withIdentity({ subject: "ann" }).mutation(async (ctx) => {
      await ctx.runMutation(mutation("exports:start"), {});
      throw new Error("Too late.");
    });
    await expect(thrown).rejects.toThrow("Too late.");
    expect(await days()).toEqual([]);
  });
});

recipe("Uploads, in bytes a day", () => {
  // 100 bytes a day, so that files are small.
  const page = new Page("docs/recipes.md#Uploads, in bytes a day", (text) =>
    text.replace("1e8", "100"),
  );
  type Started = { ok: boolean; id?: string; retryAfter?: number };
  const uploading = () => {
    const { t } = appOf(page);
    const as = (subject: string) => {
      const user = t.withIdentity({ subject });
      return {
        start: (size: number) =>
          user.mutation(mutation<Started>("files:start"), { size }),
        finish: (id: string | undefined, storageId: string) =>
          user.mutation(mutation("files:finish"), { id, storageId }),
      };
    };
    const store = (size: number) =>
      t.run((ctx) => ctx.storage.store(new Blob(["x".repeat(size)])));
    return { as, store };
  };

  test("a file costs its size, and what was announced above it comes back", async () => {
    const { as, store } = uploading();
    const ann = as("ann");
    const { id } = await ann.start(80);
    expect(await ann.finish(id, await store(30))).toEqual({ ok: true });
    expect(await ann.start(71)).toMatchObject({ ok: false });
    expect(await ann.start(70)).toMatchObject({ ok: true });
  });

  test("a file that is larger than announced leaves a debt", async () => {
    const { as, store } = uploading();
    const ann = as("ann");
    const { id } = await ann.start(1);
    await ann.finish(id, await store(250));
    expect(await ann.start(1)).toEqual({ ok: false, retryAfter: 2 * DAY });
  });

  test("an upload is finished once, and only by its owner", async () => {
    const { as, store } = uploading();
    const [ann, eve] = [as("ann"), as("eve")];
    const { id } = await ann.start(100);
    const file = await store(100);
    expect(await eve.finish(id, await store(0))).toEqual({ ok: false });
    const answers = await atOnce(3, () => ann.finish(id, file));
    expect(granted(answers)).toBe(1);
    expect(await ann.finish(id, await store(0))).toEqual({ ok: false });
    expect(await ann.start(1)).toMatchObject({ ok: false });
  });

  test("uploads at once that are never finished stay taken until the day ends", async () => {
    const { as } = uploading();
    const ann = as("ann");
    expect(granted(await atOnce(5, () => ann.start(40)))).toBe(2);
    expect(await ann.start(21)).toEqual({ ok: false, retryAfter: DAY });
    vi.setSystemTime(NEW_YEAR + DAY);
    expect(await ann.start(100)).toMatchObject({ ok: true });
  });

  test("a size that is negative, or that no day allows, is an error", async () => {
    const { as } = uploading();
    await expect(as("ann").start(-1)).rejects.toThrow("count");
    await expect(as("ann").start(101)).rejects.toThrow("exceeds");
  });
});

recipe("A floor for each class", (start) => {
  test("an idle class leaves its rate to the others, but keeps its floor", async () => {
    const { t } = start();
    const take = (of: string) =>
      t.mutation(mutation("llm:take"), { of, count: 10_000 });
    const oks = async (n: number, of: string) =>
      (await atOnce(n, () => take(of))).map(({ ok }) => ok);
    expect(await oks(5, "batch")).toEqual([true, true, true, true, false]);
    for (let i = 1; i <= 10; i++) {
      vi.setSystemTime(NEW_YEAR + (i * MINUTE) / 10);
      expect(await oks(2, "batch")).toEqual([true, false]);
    }
    expect(await oks(5, "chat")).toEqual([true, true, true, true, false]);
    expect(await oks(3, "search")).toEqual([true, true, false]);
  });
});

recipe("A fair share for each tenant", (start) => {
  const withTenants = () => {
    const { t } = start();
    const take = (tenantId: string) =>
      t.mutation(mutation("provider:take"), { tenantId, count: 1_000 });
    return { take, takeAll: (tenantId: string) => drain(() => take(tenantId)) };
  };

  test("when others have taken the rest, each tenant still has its floor", async () => {
    const { takeAll } = withTenants();
    const taken: number[] = [];
    for (let i = 0; i < 20; i++) taken.push(await takeAll(`tenant ${i}`));
    // `leave` keeps room for all floors, those that are spent too.
    expect(taken).toEqual([13, 13, 13, ...Array<number>(17).fill(3)]);
  });

  test("a denied tenant is granted at its `retryAfter`, not before", async () => {
    const { take, takeAll } = withTenants();
    await takeAll("greedy");
    const { retryAfter } = await take("greedy");
    vi.advanceTimersByTime(retryAfter! - 1);
    expect((await take("greedy")).ok).toBe(false);
    vi.advanceTimersByTime(1);
    expect((await take("greedy")).ok).toBe(true);
  });
});

recipe("Ten free answers, ever", (start) => {
  const asking = () => {
    const app = start();
    const ann = app.t.withIdentity({ subject: "ann" });
    const ask = () => ann.mutation(mutation("answers:ask"), { text: "Why?" });
    let events = 0;
    const buy = (count: number, eventId = `event ${events++}`) =>
      app.t.mutation(mutation<unknown>("answers:bought"), {
        eventId,
        userId: "ann",
        count,
      });
    return { ...app, ask, buy };
  };

  test("the free ones do not come back in this century, nor by signing in again", async () => {
    const { t, ask } = asking();
    expect(await drain(ask)).toBe(10);
    vi.setSystemTime(Date.UTC(2068, 11, 31));
    await runVacuum(t);
    expect(await drain(ask)).toBe(0);
    const again = { subject: "ann", tokenIdentifier: "another session" };
    const { ok } = await t
      .withIdentity(again)
      .mutation(mutation("answers:ask"), { text: "Why?" });
    expect(ok).toBe(false);
  });

  test("what is bought adds up: twice, at once, and when a webhook comes twice", async () => {
    const { ask, buy } = asking();
    await buy(500);
    expect(granted(await repeat(30, ask))).toBe(30);
    await buy(50);
    expect(await drain(ask)).toBe(530);
    await atOnce(2, () => buy(20));
    await atOnce(2, () => buy(7, "the same"));
    await buy(7, "the same");
    expect(await drain(ask)).toBe(47);
  });

  test("a reset gives the free ones again, and nothing that was bought", async () => {
    const { ask, buy, reset } = asking();
    await buy(5);
    expect(await drain(ask)).toBe(15);
    await reset("freeAnswers", "ann");
    expect(await drain(ask)).toBe(10);
  });

  test("a subscription that ends leaves what there was", async () => {
    const { t, limits, ask, buy } = asking();
    const key = "ann";
    await repeat(8, ask);
    await buy(5);
    for (let i = 0; i < 2; i++) {
      await t.mutation((ctx) =>
        limits.setOverride(ctx, "freeAnswers", { key, unlimited: true }),
      );
      expect(granted(await repeat(40, ask))).toBe(40);
      await t.mutation((ctx) =>
        limits.clearOverride(ctx, "freeAnswers", { key }),
      );
    }
    expect(await drain(ask)).toBe(2 + 5);
  });
});

recipe("New users start with fewer", (start) => {
  const signing = () => {
    const app = start();
    return {
      ...app,
      signIn: (email = "ann@example.com") =>
        app.t.mutation(mutation<string>("signIn:signIn"), { email }),
      take: (key: string) => () =>
        app.t.mutation((ctx) => app.limits.limit(ctx, "answers", { key })),
    };
  };

  test("a user has ten, however often and at once they sign in, then five more a day, up to 100; a reset gives all of them", async () => {
    const { t, signIn, take, reset } = signing();
    const ids = await atOnce(3, () => signIn());
    expect(new Set(ids).size).toBe(1);
    const [ann] = ids;
    expect(await drain(take(ann!))).toBe(10);
    await signIn();
    expect(await drain(take(ann!))).toBe(0);
    vi.setSystemTime(NEW_YEAR + DAY);
    expect(await drain(take(ann!))).toBe(5);
    vi.setSystemTime(NEW_YEAR + 30 * DAY);
    await runVacuum(t);
    await signIn();
    expect(await drain(take(ann!))).toBe(100);
    await reset("answers", ann);
    expect(await drain(take(ann!))).toBe(100);
    expect(await drain(take(await signIn("bob@example.com")))).toBe(10);
  });
});

recipe("A mail at 80%", (start) => {
  test("is sent once a day for each key, even if a bucket reaches it again, by itself or after a reset", async () => {
    const { t, limits, reset } = start();
    const sent: unknown[] = [];
    vi.stubGlobal("fetch", async (_url: string, { body }: { body: string }) => {
      sent.push(JSON.parse(body));
      return new Response();
    });
    const take = async (key: string, count: number) => {
      await t.mutation((ctx) => limits.limit(ctx, "exports", { key, count }));
      await finishScheduled(t);
    };
    await take("ann", 79);
    expect(sent).toEqual([]);
    await take("ann", 3);
    await take("bob", 80);
    vi.advanceTimersByTime(HOUR);
    await take("ann", 4);
    await reset("exports", "ann");
    await take("ann", 90);
    expect(sent).toEqual([
      { key: "ann", text: "18 exports left" },
      { key: "bob", text: "20 exports left" },
    ]);
    vi.advanceTimersByTime(DAY);
    await take("ann", 90);
    expect(sent).toHaveLength(3);
  });
});

recipe("Wait for a free place", (start) => {
  test("a render without a free place tries again until there is one", async () => {
    const { t } = start();
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
});

test("there are tests of each recipe", () => {
  const titles = RECIPES.flatMap(titlesOf);
  expect(tested.toSorted()).toEqual(titles.toSorted());
});
