import { MINUTE, type RateLimiter } from "convex-rate-limiter";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { aKind, step } from "../support/arbitraries.js";
import { freezeClock, MIDNIGHT } from "../support/host.js";
import { mutation, Page } from "../readme/page.js";
import { Model, type ModelConfig } from "../support/model.js";
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

/** The recipe beside models of the total and of each floor. */
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
  const modelOf = (rule: Rule) =>
    new Model({ kind, period: MINUTE, start: 0, ...rule } as ModelConfig);
  const total = modelOf(rules.total);
  const floors = {
    chat: modelOf(rules.chat),
    search: modelOf(rules.search),
    batch: undefined,
  };
  const left = (model: Model) => model.balance(Date.now());
  /** Judges an answer, and takes from what should have granted it. */
  const judge = (of: Class, count: number, isGranted: boolean) => {
    const floor = floors[of];
    const isInFloor = floor !== undefined && left(floor) >= count;
    const isIdle = left(total) - count >= leaveOf(rules);
    expect({ of, count, isInFloor, isIdle, isGranted }).toMatchObject({
      isGranted: isInFloor || isIdle,
    });
    const from = isInFloor ? [floor, total] : [total];
    if (isGranted) for (const model of from) model.move(count, Date.now());
    expect(left(total)).toBeGreaterThanOrEqual(0);
    return from.map((model) => ({ model, write: model.writes }));
  };
  type Taken = ReturnType<typeof judge>;
  const held: { ids: string[]; count: number; taken: Taken }[] = [];
  return {
    take: async (of: Class, count: number) => {
      const answer = await t.mutation(mutation("llm:take"), { of, count });
      judge(of, count, answer.ok);
      return answer;
    },
    hold: async (of: Class, count: number) => {
      // Of more holds since it was full, less may come back.
      const all = [total, floors[of] ?? total];
      const isFull = (model: Model) =>
        left(model) === model.capacity(Date.now());
      if (all.some((one) => !isFull(one) && one.holdsSinceFull >= 4)) return;
      let ids: string[] | undefined;
      for (const limits of ways(of, count)) {
        ids ??= (await t.mutation((ctx) => rateLimiter.holdAll(ctx, limits)))
          .ids;
      }
      const taken = judge(of, count, ids !== undefined);
      if (ids === undefined) return;
      for (const { model } of taken) model.noteHold(count, Date.now());
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
      for (const { model, write } of taken) {
        model.release(write, most - count, Date.now());
      }
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

// The oracle is a model of the total and of each floor.
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
