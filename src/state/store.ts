import type { StoredConfig } from "../core/config.js";
import type { Row } from "../core/view.js";
import type {
  LimitKey,
  ListedOverride,
  NamedLimits,
} from "../core/validators.js";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";
import type { Found } from "./budget.js";
import type { List } from "./pages.js";

/**
 * What housekeeping does with a table; what is absent does not concern it. Each function does one
 * batch, within the budget of a transaction, and returns where to continue; undefined at the end. A
 * cursor is "" at first.
 */
export interface Store {
  /** Deletes what has no effect any more. */
  vacuum?(
    ctx: MutationCtx,
    now: number,
    cursor: string,
  ): Promise<string | undefined>;

  /** When its newest document was stored, if `clear` concerns it; at least `since`. */
  newestSince?(ctx: QueryCtx, since: number): Promise<number>;

  /** Deletes what counts against a limit and was stored up to a time, the newest first. */
  clear?(ctx: MutationCtx, upTo: number): Promise<number | undefined>;

  /** Forgets a key at once, and returns its overrides that stay. */
  forgetAtOnce?(
    ctx: MutationCtx,
    key: string,
    options: { bans: boolean; now: number },
  ): Promise<ListedOverride[]>;

  /** Forgets a key in batches: in the limits in which it is stored, or the documents that name it. */
  forget?: Sweep;

  /** Makes a limit full in batches: for each of its keys. */
  reset?: Sweep;

  /** The limits that have stored something here, or something of a key, without the known ones. */
  limitsBeside?(
    ctx: QueryCtx,
    known: ReadonlySet<string>,
    key?: string,
  ): AsyncIterable<string>;

  /** The keys in use. */
  keys?(ctx: QueryCtx, args: ListArgs, now: number): List<InUse>;
}

/** Work on all that is stored of a key, or of a limit. */
export interface Sweep {
  /** Finds where there is work. */
  find(ctx: QueryCtx, of: string, cursor: string): Promise<Found<string>>;
  /**
   * Does it there, and returns whether there is more. Reads what it deletes, so what a call has
   * added since `find` goes, too.
   */
  sweepIn(ctx: MutationCtx, of: string, found: string): Promise<boolean>;
}

/** The arguments of `list`, without those of the page. */
export type ListArgs = {
  limits: NamedLimits;
  /** Only the keys of this limit. */
  name?: string;
  order?: "key" | "depleted";
  /** Only keys that begin with it. Needs a name and the order by key. */
  prefix?: string;
};

/** A key in use, its rows, and the config that is stored with them, if any. */
export type InUse = LimitKey & { rows: Row[]; config?: StoredConfig };
