import { MINUTE, type RateLimiter } from "convex-rate-limiter";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { aKind, step } from "../support/arbitraries.js";
import { freezeClock, MIDNIGHT } from "../support/host.js";
import { mutation, Page, repeat } from "../readme/page.js";
import { runs } from "../support/seed.js";

const RECIPE = "docs/sharing.md#A floor for each class";

afterEach(() => {
  vi.useRealTimers();
});

type Kind = "token bucket" | "fixed window";
type Rule = { capacity: number; rate: number };
type Rules = Record<"total" | "chat" | "search", Rule>;
type Class = "chat" | "search" | "batch";

const leaveOf = ({ chat, search }: Rules) => chat.capacity + search.capacity;

/** The recipe, with limits of this kind and with these numbers. */
function withLimits(kind: Kind, rules: Rules): Page {
  const start = kind === "fixed window" ? { start: 0 } : {};
  const shared = { kind, period: MINUTE, shards: 1, ...start };
  const limits = JSON.stringify({
    total: { ...shared, ...rules.total },
    chat: { ...shared, ...rules.chat },
    search: { ...shared, ...rules.search },
  });
  const leave = `const leave = ${leaveOf(rules)};`;
  return new Page(RECIPE, (text, file) => {
    if (file !== "convex/rateLimiter.ts") return text;
    const edited = text
      .replace(/(?<=components\.rateLimiter, )\{[^]*?\}(?=\);)/, limits)
      .replace(/const leave = .*/, leave);
    expect(edited).toContain(limits);
    expect(edited).toContain(leave);
    return edited;
  });
}

type Taken = { time: number; count: number };

/** A naive balance: from the beginning, all that was taken. In whole numbers: tokens times the ms of the period. */
class Balance {
  private readonly log: Taken[] = [];
  /** How many holds have taken from it since it was full. */
  holds = 0;

  constructor(
    private readonly kind: Kind,
    private readonly rule: Rule,
  ) {}

  /** The tokens now. */
  get tokens(): number {
    const most = this.rule.capacity * MINUTE;
    let units = most;
    let before = MIDNIGHT;
    for (const { time, count } of [
      ...this.log,
      { time: Date.now(), count: 0 },
    ]) {
      const arrived = this.arrivedUntil(time) - this.arrivedUntil(before);
      units = Math.min(units + arrived, most) - count * MINUTE;
      before = time;
    }
    if (units === most) this.holds = 0;
    return units / MINUTE;
  }

  get isFull(): boolean {
    return this.tokens === this.rule.capacity;
  }

  /** Takes tokens, and returns the entry, whose count a settlement changes. */
  take(count: number): Taken {
    const taken = { time: Date.now(), count };
    this.log.push(taken);
    return taken;
  }

  private arrivedUntil(time: number): number {
    const since = time - MIDNIGHT;
    const counted =
      this.kind === "fixed window" ? since - (since % MINUTE) : since;
    return counted * this.rule.rate;
  }
}

/** The recipe beside naive balances of the total and of each floor. */
function startJudged(kind: Kind, rules: Rules) {
  freezeClock(MIDNIGHT);
  const page = withLimits(kind, rules);
  const t = page.start();
  const { rateLimiter, ways } = page.loader.load(
    "convex/rateLimiter.ts",
  ) as unknown as {
    rateLimiter: RateLimiter;
    ways: (of: Class, count: number) => never[];
  };
  const total = new Balance(kind, rules.total);
  const floors = {
    chat: new Balance(kind, rules.chat),
    search: new Balance(kind, rules.search),
    batch: undefined,
  };
  /** Judges an answer, and takes from what should have granted it. */
  const judge = (of: Class, count: number, isGranted: boolean) => {
    const floor = floors[of];
    const isInFloor = floor !== undefined && floor.tokens >= count;
    const isIdle = total.tokens - count >= leaveOf(rules);
    expect({ of, count, isInFloor, isIdle, isGranted }).toMatchObject({
      isGranted: isInFloor || isIdle,
    });
    const from = isInFloor ? [floor, total] : [total];
    const taken = isGranted ? from.map((balance) => balance.take(count)) : [];
    expect(total.tokens).toBeGreaterThanOrEqual(0);
    return taken;
  };
  const held: { ids: string[]; count: number; taken: Taken[] }[] = [];
  return {
    take: async (of: Class, count: number) => {
      const answer = await t.mutation(mutation("llm:take"), { of, count });
      judge(of, count, answer.ok);
      return answer;
    },
    hold: async (of: Class, count: number) => {
      // Of more holds since it was full, less may come back.
      const all = [total, floors[of] ?? total];
      if (all.some(({ isFull, holds }) => !isFull && holds >= 4)) return;
      let ids: string[] | undefined;
      for (const limits of ways(of, count)) {
        ids ??= (await t.mutation((ctx) => rateLimiter.holdAll(ctx, limits)))
          .ids;
      }
      const taken = judge(of, count, ids !== undefined);
      if (ids === undefined) return;
      for (const balance of new Set(all)) balance.holds += 1;
      held.push({ ids, count, taken });
    },
    /** Settles the oldest hold to `used`, or to what it took if that is less. */
    settle: async (used: number) => {
      const oldest = held.shift();
      if (oldest === undefined) return;
      const { ids, count: most, taken } = oldest;
      const count = Math.min(used, most);
      const settled = ids.map((id) => ({ id, count }));
      await t.mutation((ctx) => rateLimiter.settleAll(ctx, settled));
      for (const one of taken) one.count = count;
    },
  };
}

const rule = fc.record({
  capacity: fc.integer({ min: 5, max: 8 }),
  rate: fc.integer({ min: 1, max: 9 }),
});

/** The total has room for all floors and 5 to 9 tokens more, and is at least as fast. */
const someRules = fc
  .record({ chat: rule, search: rule, room: fc.nat(4), more: fc.nat(4) })
  .map(({ chat, search, room, more }) => ({
    chat,
    search,
    total: {
      capacity: chat.capacity + search.capacity + 5 + room,
      rate: chat.rate + search.rate + more,
    },
  }));

const asked = {
  of: fc.constantFrom("chat" as const, "search" as const, "batch" as const),
  count: fc.integer({ min: 1, max: 5 }),
};

const steps = fc.array(
  fc.oneof(
    step("take", 6, asked),
    step("hold", 2, asked),
    step("settle", 2, { used: fc.nat(5) }),
    step("pass", 3, { ms: fc.integer({ min: 1, max: MINUTE }) }),
  ),
  { minLength: 20, maxLength: 40, size: "max" },
);

// The oracle is a naive balance for the total and for each floor.
test("a class is granted what its floor holds, or what is idle in the total, and no more", async () => {
  await fc.assert(
    fc.asyncProperty(aKind, someRules, steps, async (kind, rules, steps) => {
      const app = startJudged(kind, rules);
      for (const step of steps) {
        if (step.verb === "pass") vi.setSystemTime(Date.now() + step.ms);
        else if (step.verb === "settle") await app.settle(step.used);
        else if (step.verb === "hold") await app.hold(step.of, step.count);
        else {
          const { ok, retryAfter } = await app.take(step.of, step.count);
          if (ok) continue;
          // The wait is exact: it ends as soon as the floor or the total grants.
          vi.setSystemTime(Date.now() + retryAfter! - 1);
          expect((await app.take(step.of, step.count)).ok).toBe(false);
          vi.setSystemTime(Date.now() + 1);
          expect((await app.take(step.of, step.count)).ok).toBe(true);
        }
      }
    }),
    runs(8),
  );
});

test("an idle class leaves its rate to the others, but keeps its floor", async () => {
  freezeClock(MIDNIGHT);
  const t = new Page(RECIPE).start();
  const take = (of: Class, count: number) =>
    t.mutation(mutation("llm:take"), { of, count });
  const oks = async (n: number, of: Class) =>
    (await repeat(n, () => take(of, 10_000))).map(({ ok }) => ok);
  expect(await oks(5, "batch")).toEqual([true, true, true, true, false]);
  for (let i = 1; i <= 10; i++) {
    vi.setSystemTime(MIDNIGHT + (i * MINUTE) / 10);
    expect(await oks(2, "batch")).toEqual([true, false]);
  }
  expect(await oks(5, "chat")).toEqual([true, true, true, true, false]);
  expect(await oks(3, "search")).toEqual([true, true, false]);
});
