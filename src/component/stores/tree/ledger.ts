import type { StoredRateLimit } from "../../../core/config.js";
import { calmOf, HEAT, mayBeHot, widthOf } from "../../../core/heat.js";
import type { Limit } from "../../../core/limit.js";
import { lastUse, type Row } from "../../../core/row.js";
import { holding } from "../../../core/rows.js";
import { childOf, isSignpost, pathTo, type Leaf } from "../../../core/tree.js";
import { internal } from "../../_generated/api.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import type { Named } from "../ledger.js";
import { RowLedger, type Stored } from "../rows/ledger.js";

/**
 * The rows of a limit that splits itself. As long as it is one row, a call reads that row and no
 * other. Splits a row in the write that finds it hot.
 */
export class TreeLedger extends RowLedger {
  /** Whether the rows may be those of a fixed split, or of `@convex-dev/rate-limiter`. */
  private isForeign = false;
  /** The `parts` of the calm row that was written; 0 if there was none. */
  private calmParts = 0;

  constructor(
    ctx: QueryCtx | MutationCtx,
    private readonly named: Named<StoredRateLimit>,
    private readonly limit: Limit,
    private readonly now: number,
  ) {
    super(ctx, named.name, named.key, Infinity);
  }

  override async read(shard?: number): Promise<Row[]> {
    if (this.lacksRoot) await this.readRoot();
    return super.read(shard);
  }

  override async look(first?: number, count?: number): Promise<Row[]> {
    if (this.lacksRoot) await this.readRoot();
    return this.isTree ? super.look(first, count) : this.readAll();
  }

  override set(rows: readonly Row[]): void {
    super.set(rows);
    if (!rows.some(({ shard }) => shard === 0)) return;
    for (const shard of this.known.keys()) {
      if (shard > 0) this.change(shard, undefined);
    }
  }

  /** Returns false: a limit that splits itself needs no advice about close calls. */
  override async save(ctx: MutationCtx): Promise<false> {
    await super.save(ctx);
    const { askEvery } = HEAT;
    const share = Math.min(1, this.calmParts / askEvery) / askEvery;
    if (this.calmParts > 0 && Math.random() < share) {
      await ctx.scheduler.runAfter(0, internal.shrink.shrink, this.named);
    }
    return false;
  }

  protected override async readAll(): Promise<Row[]> {
    if (this.lacksRoot) await this.readRoot();
    return this.isForeign || this.isTree ? super.readAll() : super.read(0);
  }

  protected override toStored(
    ctx: MutationCtx,
    row: Row,
    before: Row | undefined,
  ): Stored {
    // All rows were gathered in this one, so its children begin calm.
    // (Spreads come last: V8 is slow with objects that grow after a spread.)
    if (isSignpost(row)) return { at: undefined, calm: HEAT.longest, ...row };
    const leaf = this.leafOf(row.shard, before);
    const calm = calmOf(before ?? leaf.parent, this.now);
    const into = this.widthOf(leaf, row, calm);
    if (into !== undefined) {
      return { at: undefined, calm: undefined, ...row, into };
    }
    this.noteCalm(leaf, calm);
    return { at: ctx.db.vars.commitTs, calm, ...row };
  }

  /** How many rows to split a written row into; undefined if it stays whole. */
  private widthOf(
    leaf: Leaf,
    { value }: Row,
    calm: number | undefined,
  ): number | undefined {
    if (value < 0 || !mayBeHot(calm)) return undefined;
    const { limit, now } = this;
    const taken = holding(limit, leaf, now).value - value;
    return widthOf(limit, leaf, calm, Math.max(1, taken), now);
  }

  /** Remembers a calm row whose parent was split long ago. */
  private noteCalm({ parts, parent }: Leaf, calm = 0): void {
    if (parent === undefined || calm <= HEAT.shrinkAbove) return;
    if (this.now - lastUse(parent) > HEAT.restMs) this.calmParts = parts;
  }

  /** Reads the first row of the key: row 0, or a sign that there are others without it. */
  private async readRoot(): Promise<void> {
    const { ctx, name, key } = this;
    const doc = await ctx.db
      .query("rateLimits")
      .withIndex("name", (q) => q.eq("name", name).eq("key", key))
      .first();
    const root = this.remember(0, doc?.shard === 0 ? doc : null).before;
    const isOwn = root?.of === undefined && root?.fullAt !== undefined;
    this.isForeign = doc !== null && !isOwn;
  }

  private get lacksRoot(): boolean {
    return !this.known.has(0);
  }

  /** Whether row 0 has been split. */
  private get isTree(): boolean {
    const root = this.known.get(0)?.before;
    return root !== undefined && isSignpost(root);
  }

  /** A row as a leaf, given that the rows above it have been read. */
  private leafOf(shard: number, row: Row | undefined): Leaf {
    let leaf: Leaf = { shard: 0, parts: 1, row };
    for (const nth of pathTo(shard)) {
      const parent = this.known.get(leaf.shard)?.now;
      if (parent === undefined || !isSignpost(parent)) break;
      const { parts } = leaf;
      const child = childOf(leaf.shard, nth);
      leaf = { shard: child, parts: parts * parent.into, row, parent };
    }
    return leaf;
  }
}
