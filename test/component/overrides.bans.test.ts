import {
  calculateRateLimit,
  DAY,
  HOUR,
  MINUTE,
  type LimitConfig,
  type SetOverrideOptions,
} from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import { createCheck } from "../../src/react/check.js";
import { rateLimitAt } from "../../src/react/rateLimitAt.js";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import { startApp, type App } from "../support/startApp.js";

useStillClock();

const dry = { enforce: false } as const;
const enforced = { config: { enforce: true } };
const dryRun = { config: dry };
const key = "anna";
const bucket = { kind: "token bucket", rate: 10, period: MINUTE } as const;

type Ban = (app: App) => Promise<unknown>;

const penalize: Ban = ({ mutate, limiter }) =>
  mutate((ctx) =>
    limiter.penalize(ctx, "api", { key, bans: [HOUR], forgetAfter: DAY }),
  );
const deny =
  (of: { key?: string }): Ban =>
  ({ setOverride }) =>
    setOverride("api", { ...of, deny: true, expiresAt: MIDNIGHT + HOUR });

const bans = [
  ["penalize", penalize],
  ["a deny of the key", deny({ key })],
] as const;
const banOfAll = ["a deny of the limit", deny({})] as const;

type Below = readonly [
  claim: string,
  config: Partial<LimitConfig>,
  override?: SetOverrideOptions,
];
const below: Below[] = [
  ["a config that is enforced", {}],
  ["a dry run", dry],
  ["a dry run for all keys but a share of 0", { enforce: 0 }],
  ["a dry run that the limit's override enforces", dry, enforced],
  ["a config that the limit's override makes a dry run", {}, dryRun],
];
// A key's own override wins over a ban of its limit.
const belowOfKey: Below[] = [
  ["a dry run that the key's override enforces", dry, { key, ...enforced }],
  ["a config that the key's override makes a dry run", {}, { key, ...dryRun }],
];

type Row = [
  ban: string,
  below: string,
  set: Ban,
  config: Partial<LimitConfig>,
  override?: SetOverrideOptions,
];
const rowsOf = (
  all: readonly (readonly [string, Ban])[],
  [what, config, override]: Below,
) => all.map(([ban, set]): Row => [ban, what, set, config, override]);

test.each<Row>([
  ...below.flatMap((one) => rowsOf([...bans, banOfAll], one)),
  ...belowOfKey.flatMap((one) => rowsOf(bans, one)),
])(
  "%s denies every call to the end of the ban, above %s",
  async (_ban, _what, set, config, override) => {
    const app = startApp({
      api: { ...bucket, overrides: true, ...config } as LimitConfig,
    });
    if (override !== undefined) await app.setOverride("api", override);
    await app.limit("api", { key });
    await set(app);
    const denied = { ok: false, retryAfter: HOUR };
    const list = [{ name: "api", key }];
    expect(await app.limit("api", { key })).toEqual(denied);
    expect(await app.limit("api", { key, upTo: true })).toEqual(denied);
    expect(await app.limit("api", { key, reserve: true })).toEqual(denied);
    expect(await app.check("api", { key })).toEqual(denied);
    expect(await app.hold("api", { key })).toEqual(denied);
    expect(await app.limitAll(list)).toMatchObject(denied);
    expect(await app.checkAll(list)).toMatchObject(denied);
    expect(await app.listed("api", key)).toMatchObject({ limited: true });

    const value = await app.getValue("api", { key });
    const now = Date.now();
    expect(calculateRateLimit(value, value.config, now, 1)).toMatchObject({
      retryAfter: HOUR,
    });
    const shown = rateLimitAt(
      createCheck(value, 0, () => now),
      1,
      now,
    );
    const retryAt = MIDNIGHT + HOUR;
    expect(shown.value.status).toEqual({ ok: false, retryAt });

    vi.setSystemTime(retryAt);
    expect(await app.limit("api", { key })).toEqual({ ok: true });
  },
);

test("a ban to come denies in a dry run that grants until then, as a page knows", async () => {
  const app = startApp({ api: { ...bucket, overrides: true, ...dry } });
  const startsAt = MIDNIGHT + MINUTE;
  await app.setOverride("api", { deny: true, startsAt });
  await app.limit("api", { count: 10 });
  const value = await app.getValue("api");
  const check = createCheck(value, 0, () => MIDNIGHT);
  const before = rateLimitAt(check, 1, MIDNIGHT);
  expect(before.value.status).toEqual({ ok: true, retryAt: undefined });
  expect(before.until).toBeLessThanOrEqual(startsAt);
  expect(rateLimitAt(check, 1, startsAt).value.status?.ok).toBe(false);
  expect(await app.limit("api", { count: 10 })).toMatchObject({ ok: true });
  vi.setSystemTime(startsAt);
  expect(await app.limit("api")).toMatchObject({ ok: false });
});
