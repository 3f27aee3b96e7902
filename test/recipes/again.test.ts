import { DAY, HOUR, MINUTE } from "convex-rate-limiter";
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

// Each recipe as an unlucky or a hostile user meets it: twice, at once, back and forth, after a
// reset, and at the end of a month.

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
    reset: (name: string, key?: string) =>
      t.mutation((ctx) => limits.reset(ctx, name, { key })),
    addAccount: (plan = "free") =>
      t.run((ctx) => ctx.db.insert("accounts", { plan, timeZone: "UTC" })),
    patchAccount: (id: string, fields: Record<string, string>) =>
      t.run((ctx) => ctx.db.patch("accounts", id as never, fields)),
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
  const own = { email: "eve@example.com", code: "123456" };
  const withLogin = async () => {
    const { t, reset } = start();
    await t.run((ctx) => ctx.db.insert("loginCodes", own));
    const eve = t.withRequestMetadata({ ip: "192.0.2.1" });
    const logIn = (email: string, code: string) =>
      eve.mutation(mutation("logins:logIn"), { email, code });
    return { logIn, reset };
  };

  test("twenty guesses at once are five", async () => {
    const { logIn } = await withLogin();
    const guess = { ok: false };
    const answers = await atOnce(20, () => logIn("ann@example.com", "000000"));
    expect(answers.slice(0, 5)).toEqual(Array(5).fill(guess));
    for (const { retryAfter } of answers.slice(5)) {
      expect(retryAfter).toBe(HOUR / 5);
    }
  });

  test("logging in to an account of one's own in between gives no guess back", async () => {
    const { logIn } = await withLogin();
    for (let i = 0; i < 30; i++) {
      expect(await logIn(`${i}@example.com`, "0")).toEqual({ ok: false });
      if (i < 29) expect((await logIn(own.email, own.code)).ok).toBe(true);
    }
    const { retryAfter } = await logIn(own.email, own.code);
    expect(retryAfter).toBe(HOUR / 30);
  });

  test("after a reset there are five more", async () => {
    const { logIn, reset } = await withLogin();
    await repeat(6, () => logIn(own.email, "0"));
    await reset("failedLogin", own.email);
    expect(await logIn(own.email, own.code)).toEqual({ ok: true });
  });
});

recipe("Password resets, codes and invitations by email", (start) => {
  test("of ten at once for one address three are sent, and three in the next hour", async () => {
    const { t } = start();
    const fetched = vi.fn(async () => new Response());
    vi.stubGlobal("fetch", fetched);
    const ask = () =>
      t.mutation(mutation("resets:ask"), { email: "ann@example.com" });
    for (const sent of [3, 6]) {
      await atOnce(10, ask);
      await finishScheduled(t);
      expect(fetched).toHaveBeenCalledTimes(sent);
      vi.setSystemTime(Date.now() + HOUR);
    }
  });
});

recipe("A day in the user's time zone", (start) => {
  const withAccount = async () => {
    const app = start();
    const accountId = await app.addAccount();
    const take = () => app.t.mutation(mutation("exports:start"), { accountId });
    const change = (fields: Record<string, string>) =>
      app.patchAccount(accountId, fields);
    return { take, change };
  };

  test("of 150 at once 100 are granted", async () => {
    const { take } = await withAccount();
    expect(granted(await atOnce(150, take))).toBe(100);
  });

  test("moving around the world gives nothing", async () => {
    const { take, change } = await withAccount();
    expect(await drain(take)).toBe(100);
    for (const timeZone of ["Pacific/Kiritimati", "Pacific/Niue", "UTC"]) {
      await change({ timeZone });
      expect(await drain(take)).toBe(0);
    }
  });

  test("going pro and back gives nothing", async () => {
    const { take, change } = await withAccount();
    expect(await drain(take)).toBe(100);
    await change({ plan: "pro" });
    expect(granted(await repeat(200, take))).toBe(200);
    await change({ plan: "free" });
    expect(await drain(take)).toBe(0);
  });
});

recipe("Ten more for one user, today", (start) => {
  const exporting = () => {
    const { t } = start();
    const limits = new Page(
      "docs/recipes.md#Ten more for one user, today",
    ).limits<"exports">();
    const take = (key = "ann") =>
      t.mutation((ctx) => limits.limit(ctx, "exports", { key }));
    const give = () =>
      t.mutation(mutation("support:giveTenMore"), { userId: "ann" });
    const change = (change: { deny: true } | { unlimited: true }, ms: number) =>
      t.mutation((ctx) =>
        limits.setOverride(ctx, "exports", {
          ...{ key: "ann", ...change },
          expiresAt: Date.now() + ms,
        }),
      );
    return { take, give, change };
  };

  test("pressed twice, and twice at once, it gives ten each time, to her, until the day ends", async () => {
    const { take, give } = exporting();
    vi.setSystemTime(NEW_YEAR + 9 * HOUR);
    expect(await drain(take)).toBe(20);
    for (const times of [1, 1, 2]) {
      expect(granted(await atOnce(times, give))).toBe(times);
      expect(await drain(take)).toBe(10 * times);
    }
    expect(await drain(() => take("bob"))).toBe(20);
    vi.setSystemTime(NEW_YEAR + DAY - 1);
    expect(await drain(take)).toBe(0);
    for (const day of [1, 2]) {
      vi.setSystemTime(NEW_YEAR + day * DAY);
      expect(await drain(take)).toBe(20);
    }
  });

  test("it adds to what is left, and changes nothing while all is left", async () => {
    const { take, give } = exporting();
    expect(await give()).toEqual({ ok: false });
    await repeat(5, () => take());
    await give();
    expect(await drain(take)).toBe(25);
  });

  test("it ends no ban, and nothing that is unlimited", async () => {
    const { take, give, change } = exporting();
    await repeat(5, () => take());
    for (const override of [{ deny: true }, { unlimited: true }] as const) {
      await change(override, HOUR);
      expect(await give()).toEqual({ ok: false });
      const { ok } = await take();
      expect(ok).toBe("unlimited" in override);
    }
    vi.setSystemTime(NEW_YEAR + HOUR);
    expect(await drain(take)).toBe(15);
  });

  test("in the last ms of the day it ends with the day", async () => {
    const { take, give } = exporting();
    await repeat(20, () => take());
    vi.setSystemTime(NEW_YEAR + DAY - 1);
    await give();
    expect(await drain(take)).toBe(10);
    vi.setSystemTime(NEW_YEAR + DAY);
    expect(await give()).toEqual({ ok: false });
    expect(await drain(take)).toBe(20);
  });
});

recipe("Fewer at night", (start) => {
  // With one call a minute, each hour refills what it used.
  const searching = () => {
    const app = start();
    const limits = new Page(
      "docs/recipes.md#Fewer at night",
    ).limits<"search">();
    return {
      ...app,
      plan: () => app.t.mutation(mutation<null>("nights:plan"), {}),
      take: (count = 1) =>
        app.t.mutation((ctx) =>
          limits.limit(ctx, "search", { key: "ann", count }),
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
  const withAccount = async () => {
    const app = start();
    const accountId = await app.addAccount();
    const take = () => app.t.mutation(mutation("exports:start"), { accountId });
    return {
      ...app,
      accountId,
      take,
      changeTo: (plan: "free" | "pro") => app.patchAccount(accountId, { plan }),
    };
  };

  test("back and forth, a month has 1,000, however often", async () => {
    const { take, changeTo } = await withAccount();
    let total = await drain(take);
    expect(total).toBe(100);
    for (let i = 0; i < 3; i++) {
      await changeTo("pro");
      total += await drain(take);
      await changeTo("free");
      expect(await drain(take)).toBe(0);
    }
    expect(total).toBe(1_000);
  });

  test.for([
    ["free", 40],
    ["pro", 940],
  ] as const)("after 60, %s has %i left", async ([plan, left]) => {
    const { take, changeTo } = await withAccount();
    await repeat(60, take);
    for (const each of ["pro", "free", plan] as const) await changeTo(each);
    expect(await drain(take)).toBe(left);
  });

  test("of 150 at once 100 are granted", async () => {
    const { take } = await withAccount();
    expect(granted(await atOnce(150, take))).toBe(100);
  });

  test("the month that ends refills the plan that then holds", async () => {
    const { take, changeTo } = await withAccount();
    await changeTo("pro");
    expect(await drain(take)).toBe(1_000);
    const [, february, march] = [0, 1, 2].map((m) => Date.UTC(2026, m, 1));
    vi.setSystemTime(february! - 1);
    expect(await take()).toEqual({ ok: false, retryAfter: 1 });
    vi.setSystemTime(february!);
    await changeTo("free");
    expect(await drain(take)).toBe(100);
    expect(await take()).toEqual({ ok: false, retryAfter: march! - february! });
  });

  test("a reset gives the month of the plan again, not more", async () => {
    const { take, reset, accountId } = await withAccount();
    await drain(take);
    await reset("exports", accountId);
    expect(await drain(take)).toBe(100);
  });
});

recipe("Included, then pay per use", (start) => {
  const sending = async () => {
    const app = start();
    const accountId = await app.addAccount("pro");
    const send = (count: number) =>
      app.t.mutation(mutation<{ beyond: number }>("campaigns:send"), {
        accountId,
        count,
      });
    return { ...app, accountId, send };
  };

  test("campaigns at once pay for what is beyond, once", async () => {
    const { send } = await sending();
    const answers = await atOnce(4, () => send(600));
    expect(answers.map(({ beyond }) => beyond)).toEqual([0, 200, 600, 600]);
  });

  test("one that is denied and tried again takes nothing twice", async () => {
    const { send } = await sending();
    await send(5_500);
    for (let i = 0; i < 3; i++) await denialOf(send(600));
    expect(await send(500)).toEqual({ beyond: 500 });
    vi.setSystemTime(Date.UTC(2026, 1, 1));
    expect(await send(1_600)).toEqual({ beyond: 600 });
  });
});

recipe("Anonymous visitors", (start) => {
  test("of 100 new visitors of one address at once 30 ask", async () => {
    const t = start().t.withRequestMetadata({ ip: "192.0.2.1" });
    const ask = (i: number) =>
      t.mutation(mutation("questions:ask"), { visitorId: `${i}`, text: "?" });
    expect(granted(await atOnce(100, ask))).toBe(30);
    vi.setSystemTime(NEW_YEAR + HOUR);
    expect(granted(await atOnce(100, ask))).toBe(30);
  });

  test("an exempt address asks without end, each visitor with their own limit, until it is cleared", async () => {
    const { t, reset } = start();
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
    const others = await atOnce(40, (n) => ask("192.0.2.2", `${n}`));
    expect(granted(others)).toBe(30);
    await t.mutation((ctx) =>
      new Page("docs/recipes.md#Anonymous visitors")
        .limits<"askFromAddress">()
        .clearOverride(ctx, "askFromAddress", { key: "192.0.2.1" }),
    );
    const again = await atOnce(40, (n) => ask(office, `again ${n}`));
    expect(granted(again)).toBe(30);
  });
});

recipe("You call Convex from your own server", (start) => {
  test("ten questions of one visitor at once are three, however the address is written", async () => {
    const secret = "s".repeat(32);
    vi.stubEnv("SERVER_SECRET", secret);
    const { t } = start();
    const ask = (i: number) =>
      t.mutation(mutation("questions:ask"), {
        secret,
        address: i % 2 === 0 ? "192.0.2.1" : "::ffff:192.0.2.1",
        text: "?",
      });
    expect(granted(await atOnce(10, ask))).toBe(3);
  });
});

recipe("Hold everyone back after a 429", (start) => {
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
    const page = new Page("docs/recipes.md#Hold everyone back after a 429");
    const t = page.start();
    const limits = page.limits<"provider">();
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
  test("a job that fails twice gives one token back", async () => {
    const { t, addAccount } = start();
    const accountId = await addAccount();
    vi.spyOn(console, "error").mockReturnValue();
    vi.stubGlobal("fetch", async () => new Response(null, { status: 500 }));
    const convert = () =>
      t.mutation(mutation("videos:start"), { accountId, url: "a.mp4" });
    expect(granted(await atOnce(8, convert))).toBe(5);
    const jobs = await t.run((ctx) =>
      ctx.db.system.query("_scheduled_functions").collect(),
    );
    await finishScheduled(t);
    for (const { args } of jobs.slice(0, 2)) {
      const job = args[0] as Record<string, unknown>;
      await expect(t.action(action("videos:convert"), job)).rejects.toThrow();
    }
    expect(granted(await atOnce(8, convert))).toBe(5);
  });
});

recipe("A usage page", (start) => {
  test("shows what is left, also after a reset and when the month has ended", async () => {
    const { t, reset } = start();
    const ann = t.withIdentity({ subject: "ann" });
    const left = async () =>
      (await ann.query(query<{ value: number }>("account:getRateLimit"), {}))
        .value;
    const take = (count: number) =>
      t.run((ctx) =>
        new Page("docs/recipes.md#A usage page")
          .limits<"exports">()
          .limit(ctx, "exports", { key: "ann", count }),
      );
    await take(30);
    expect(await left()).toBe(70);
    await reset("exports", "ann");
    expect(await left()).toBe(100);
    await expect(t.query(query("account:getRateLimit"), {})).rejects.toThrow(
      "Sign in first.",
    );
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
  test("calls of all classes at once leave each floor what it holds", async () => {
    const { t } = start();
    const take = (of: string) =>
      t.mutation(mutation("llm:take"), { of, count: 10_000 });
    const batch = await atOnce(9, () => take("batch"));
    expect(granted(batch)).toBe(4);
    const all = await atOnce(9, (i) => take(i < 5 ? "chat" : "search"));
    expect(granted(all.slice(0, 5))).toBe(4);
    expect(granted(all.slice(5))).toBe(2);
  });
});

recipe("A fair share for each tenant", (start) => {
  test("a tenant that calls at once gets no more, and others keep their floors", async () => {
    const { t } = start();
    const take = (tenantId: string) =>
      t.mutation(mutation("provider:take"), { tenantId, count: 1_000 });
    expect(granted(await atOnce(50, () => take("greedy")))).toBe(13);
    expect(granted(await atOnce(3, () => take("small")))).toBe(3);
  });
});

recipe("Ten free answers, ever", (start) => {
  const asking = () => {
    const app = start();
    const ann = app.t.withIdentity({ subject: "ann" });
    const ask = () => ann.mutation(mutation("answers:ask"), { text: "Why?" });
    let events = 0;
    const call = (name: string, args: Record<string, unknown>) =>
      app.t.mutation(mutation<unknown>(`answers:${name}`), args);
    const buy = (count: number, eventId = `event ${events++}`) =>
      call("bought", { eventId, userId: "ann", count });
    return {
      ...app,
      ask,
      buy,
    };
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

  test("of 15 at once ten are granted", async () => {
    expect(granted(await atOnce(15, asking().ask))).toBe(10);
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
    const { t, ask, buy } = asking();
    const limits = new Page(
      "docs/recipes.md#Ten free answers, ever",
    ).limits<"freeAnswers">();
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
    const limits = new Page(
      "docs/recipes.md#New users start with fewer",
    ).limits<"answers">();
    return {
      ...app,
      limits,
      signIn: (email = "ann@example.com") =>
        app.t.mutation(mutation<string>("signIn:signIn"), { email }),
      take: (key: string) => () =>
        app.t.mutation((ctx) => limits.limit(ctx, "answers", { key })),
    };
  };

  test("a user has ten, however often and at once they sign in, then five more a day, up to 100", async () => {
    const { t, signIn, take } = signing();
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
    expect(await drain(take(await signIn("bob@example.com")))).toBe(10);
  });

  test("one who comes weeks later has no more than 100, and a reset gives all of them", async () => {
    const { t, signIn, take, reset } = signing();
    const ann = await signIn();
    vi.setSystemTime(NEW_YEAR + 60 * DAY);
    await runVacuum(t);
    expect(await drain(take(ann))).toBe(100);
    await reset("answers", ann);
    expect(await drain(take(ann))).toBe(100);
  });
});

recipe("A mail at 80%", (start) => {
  test("is sent once, also after calls at once and a reset, and again on the next day", async () => {
    const { t, reset } = start();
    const sent = vi.fn(async () => new Response());
    vi.stubGlobal("fetch", sent);
    const limits = new Page(
      "docs/recipes.md#A mail at 80%",
    ).limits<"exports">();
    const take = () =>
      t.mutation((ctx) =>
        limits.limit(ctx, "exports", { key: "ann", count: 30 }),
      );
    await atOnce(3, take);
    await reset("exports", "ann");
    await atOnce(3, take);
    await finishScheduled(t);
    expect(sent).toHaveBeenCalledOnce();
    vi.setSystemTime(NEW_YEAR + 2 * DAY);
    await atOnce(3, take);
    await finishScheduled(t);
    expect(sent).toHaveBeenCalledTimes(2);
  });
});

recipe("Wait for a free place", (start) => {
  test("of nine at once at most three run, and each runs once", async () => {
    const { t } = start();
    let [running, most] = [0, 0];
    const done: string[] = [];
    vi.stubGlobal("fetch", async (url: string) => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      done.push(url);
      return new Response();
    });
    const urls = Array.from({ length: 9 }, (_, i) => `${i}`);
    await Promise.all(
      urls.map((url) => t.action(action("renders:render"), { url })),
    );
    await finishScheduled(t);
    expect(most).toBeLessThanOrEqual(3);
    expect(done.toSorted()).toEqual(urls);
  });
});

test("there are tests of each recipe", () => {
  const titles = RECIPES.flatMap(titlesOf);
  expect(tested.toSorted()).toEqual(titles.toSorted());
});
