import { DAY } from "../core/periods.js";
import type { Ctx } from "./access.js";
import { BadRequest, type Asked } from "./asked.js";
import { BANS, BANS_FORGOTTEN_AFTER } from "./bans.js";
import type { Limiter } from "./reads.js";

export type Action = "reset" | "ban" | "penalize" | "lift" | "change" | "clear";

/** What an action has done: until when what it stored holds. */
export type Done = { until?: number | undefined };

/** @param operator The name by which `authorize` knows who asks. */
export async function act(
  ctx: Ctx,
  limiter: Limiter,
  asked: Asked<Action>,
  operator: string | undefined,
  now: number,
): Promise<Done> {
  const { ask, limit: name, key } = asked;
  if (ask === "reset") {
    await limiter.reset(ctx, name, { key });
    return {};
  }
  if (limiter.limits![name]!.overrides !== true) {
    throw new BadRequest(
      `Rate limit ${name}: overrides must be true in its config for an override to take effect.`,
    );
  }
  if (ask === "clear") {
    await limiter.clearOverride(ctx, name, { key });
    return {};
  }
  const note = signed(asked.note, operator);
  if (ask === "penalize") {
    const { retryAfter } = await limiter.penalize(ctx, name, {
      key: asked.key,
      bans: BANS,
      forgetAfter: BANS_FORGOTTEN_AFTER,
      note,
    });
    return { until: now + retryAfter };
  }
  const { until: expiresAt } = asked;
  requireTime(expiresAt, now);
  const stored = { key, expiresAt, note };
  switch (ask) {
    case "ban":
      await limiter.setOverride(ctx, name, { ...stored, deny: true });
      break;
    case "lift":
      await limiter.setOverride(ctx, name, { ...stored, unlimited: true });
      break;
    case "change":
      await limiter.setOverride(ctx, name, {
        ...stored,
        config: changeOf(limiter, asked),
      });
  }
  return { until: expiresAt };
}

function changeOf(
  limiter: Limiter,
  { limit, rate, capacity }: Asked<"change">,
): { rate?: number; capacity?: number } {
  const { kind } = limiter.limits![limit]!;
  if (rate === undefined && capacity === undefined) {
    throw new BadRequest("Give a rate, a capacity, or both.");
  }
  if (rate !== undefined && kind === "concurrency") {
    throw new BadRequest(
      `Rate limit ${limit}: there is no rate in a limit of kind "concurrency".`,
    );
  }
  if (rate !== undefined && !(rate > 0)) {
    throw new BadRequest(`rate must be above 0, but is ${rate}.`);
  }
  if (capacity !== undefined && !(capacity >= 0)) {
    throw new BadRequest(`capacity must be at least 0, but is ${capacity}.`);
  }
  return {
    ...(rate !== undefined && { rate }),
    ...(capacity !== undefined && { capacity }),
  };
}

/** Whatever is stored for longer is better said in the code. */
const LONGEST = 10 * 366 * DAY;

function requireTime(until: number | undefined, now: number): void {
  if (until === undefined || (until > now && until <= now + LONGEST)) return;
  throw new BadRequest(
    "until must be in the future, and at most ten years from now.",
  );
}

/** As many bytes as a stored note may have. */
const MOST_BYTES = 1024;

/** A note with the name of who left it. */
function signed(
  note: string | undefined,
  operator: string | undefined,
): string | undefined {
  const parts = [
    note?.trim(),
    operator === undefined ? undefined : `by ${operator}`,
  ].filter((part) => part !== undefined && part !== "");
  const text = parts.join(" · ");
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MOST_BYTES) {
    throw new BadRequest(
      `The note has ${bytes} bytes, more than ${MOST_BYTES}.`,
    );
  }
  return text === "" ? undefined : text;
}
