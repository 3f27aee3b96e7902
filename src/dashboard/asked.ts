import { validate, ValidationError } from "convex-helpers/validators";
import { v, type Infer, type Validator } from "convex/values";

/** A limit and key. Without a key: the shared balance, or for overrides the whole limit. */
const limitKey = { limit: v.string(), key: v.optional(v.string()) };
const until = v.number();
const note = v.optional(v.string());
/** The page's id of an action that must not be carried out twice if its answer is lost. */
const once = v.string();

/** The bodies that the page can send, by their field `ask`. */
const vAsked = {
  limits: v.object({ ask: v.literal("limits") }),
  keys: v.object({
    ask: v.literal("keys"),
    limit: v.string(),
    order: v.union(v.literal("depleted"), v.literal("key")),
    prefix: v.optional(v.string()),
    cursor: v.union(v.string(), v.null()),
  }),
  overrides: v.object({
    ask: v.literal("overrides"),
    limit: v.string(),
    cursor: v.union(v.string(), v.null()),
  }),
  key: v.object({ ask: v.literal("key"), ...limitKey }),
  denials: v.object({
    ask: v.literal("denials"),
    limit: v.string(),
    span: v.union(v.literal("hour"), v.literal("day"), v.literal("month")),
  }),
  /** One key, in all limits. */
  find: v.object({ ask: v.literal("find"), key: v.string() }),
  reset: v.object({ ask: v.literal("reset"), ...limitKey }),
  /** `ban` lasts until a time, `penalize` longer each time. */
  ban: v.object({ ask: v.literal("ban"), ...limitKey, until, note, once }),
  penalize: v.object({
    ask: v.literal("penalize"),
    limit: v.string(),
    key: v.string(),
    note,
    once,
  }),
  lift: v.object({ ask: v.literal("lift"), ...limitKey, until, note, once }),
  change: v.object({
    ask: v.literal("change"),
    ...limitKey,
    rate: v.optional(v.number()),
    capacity: v.optional(v.number()),
    until: v.optional(until),
    note,
    once,
    /** Whether to give the key what its capacity grows by. */
    credit: v.optional(v.boolean()),
  }),
  /** Ends one lease of a concurrency limit. */
  release: v.object({
    ask: v.literal("release"),
    limit: v.string(),
    id: v.string(),
  }),
  clear: v.object({ ask: v.literal("clear"), ...limitKey }),
  /** One key, in all limits; with `bans`, its bans, too. */
  forget: v.object({
    ask: v.literal("forget"),
    key: v.string(),
    bans: v.boolean(),
  }),
} satisfies Record<string, Validator<{ ask: string }, "required", string>>;

export type Ask = keyof typeof vAsked;

/** What the page sends. */
export type Asked<Which extends Ask = Ask> = {
  [Name in Which]: Infer<(typeof vAsked)[Name]>;
}[Which];

/** A request that cannot be carried out; the page shows the message. */
export class BadRequest extends Error {}

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
  if (typeof ask !== "string" || !Object.hasOwn(vAsked, ask)) {
    throw new BadRequest(
      `ask must be one of ${Object.keys(vAsked).join(", ")}.`,
    );
  }
  try {
    validate(vAsked[ask as Ask], asked, { throw: true });
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
