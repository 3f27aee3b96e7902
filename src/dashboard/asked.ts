import { validate, ValidationError } from "convex-helpers/validators";
import { v, type ObjectType } from "convex/values";

/** A limit and key. Without a key: the shared balance, or for overrides the whole limit. */
const limitKey = { limit: v.string(), key: v.optional(v.string()) };
const cursor = v.union(v.string(), v.null());
const until = v.number();
const note = v.optional(v.string());
/** The page's id of an action that must not be carried out twice if its answer is lost. */
const once = v.string();

/** What the bodies that the page can send have besides `ask`, by that. */
const FIELDS = {
  limits: {},
  keys: {
    limit: v.string(),
    order: v.union(v.literal("depleted"), v.literal("key")),
    prefix: v.optional(v.string()),
    cursor,
  },
  overrides: { limit: v.string(), cursor },
  key: limitKey,
  denials: {
    limit: v.string(),
    span: v.union(v.literal("hour"), v.literal("day"), v.literal("month")),
  },
  /** One key, in all limits. */
  find: { key: v.string() },
  reset: limitKey,
  /** `ban` lasts until a time, `penalize` longer each time. */
  ban: { ...limitKey, until, note, once },
  penalize: { limit: v.string(), key: v.string(), note, once },
  lift: { ...limitKey, until, note, once },
  change: {
    ...limitKey,
    rate: v.optional(v.number()),
    capacity: v.optional(v.number()),
    until: v.optional(until),
    note,
    once,
    /** Whether to give the key what its capacity grows by. */
    credit: v.optional(v.boolean()),
  },
  /** Ends one lease of a concurrency limit. */
  release: { limit: v.string(), id: v.string() },
  clear: limitKey,
  /** All keys of a limit. */
  resetAll: { limit: v.string() },
  /** One key, in all limits; with `bans`, its bans, too. */
  forget: { key: v.string(), bans: v.boolean() },
};

export type Ask = keyof typeof FIELDS;

/** What the page sends. */
export type Asked<Which extends Ask = Ask> = {
  [Name in Which]: { ask: Name } & ObjectType<(typeof FIELDS)[Name]>;
}[Which];

/** A request that cannot be carried out; the page shows the message. */
export class BadRequest extends Error {}

/**
 * Checks what was sent by a rule of the limiter.
 *
 * @throws A {@link BadRequest} in the words of the rule, if the check throws.
 */
export function requireGood(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new BadRequest((error as Error).message);
  }
}

export const noLimit = (name: string) =>
  new BadRequest(`There is no limit of the name "${name}".`);

/** More than any request of the page has. */
const MAX_CHARACTERS = 16_384;

/** @throws A {@link BadRequest} that says what is wrong with the body. */
export function readAsked(body: string): Asked {
  if (body.length > MAX_CHARACTERS) {
    throw new BadRequest(
      `The body has ${body.length} characters, more than ${MAX_CHARACTERS}.`,
    );
  }
  const asked = parse(body);
  const { ask } = Object(asked) as { ask?: unknown };
  if (typeof ask !== "string" || !Object.hasOwn(FIELDS, ask)) {
    throw new BadRequest(
      `ask must be one of ${Object.keys(FIELDS).join(", ")}.`,
    );
  }
  try {
    const fields = { ask: v.literal(ask), ...FIELDS[ask as Ask] };
    validate(v.object(fields), asked, { throw: true });
  } catch (error) {
    if (error instanceof ValidationError) throw new BadRequest(error.message);
    throw error;
  }
  for (const [field, value] of Object.entries(asked as Asked)) {
    // A backend can neither store nor compare half of a surrogate pair.
    if (typeof value === "string" && /\p{Surrogate}/u.test(value)) {
      throw new BadRequest(`${field} is not well-formed text.`);
    }
  }
  return asked as Asked;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new BadRequest("The body is not JSON.");
  }
}
