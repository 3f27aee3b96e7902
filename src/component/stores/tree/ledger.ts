import type { StoredRateLimit } from "../../../core/config.js";
import { calmOf, HEAT, widthOf } from "../../../core/heat.js";
import { shareOf, type Limit } from "../../../core/limit.js";
import { holding, lastUse, type Row } from "../../../core/rows.js";
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
  /** Whether row 0 may not be the only one: of a fixed split, or of the incumbent. */
  private isForeign = false;
  /** How many rows like a calm one that was written are the whole limit. */
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
    if (shard === 0) await this.readRoot();
    return super.read(shard);
  }

  override async look(first?: number, count?: number): Promise<Row[]> {
    const root = await this.readRoot();
    const isTree = root !== undefined && isSignpost(root);
    return isTree ? super.look(first, count) : this.readAll();
  }

  override set(rows: readonly Row[]): void {
    super.set(rows);
    if (!rows.some(({ shard }) => shard === 0)) return;
    for (const [shard, { id }] of this.known) {
      if (shard > 0 && id !== undefined) this.change(shard, undefined);
    }
  }

  /** Returns false: what calls that collide need, it does by itself. */
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
    const root = await this.readRoot();
    const isAlone = !this.isForeign && !(root && isSignpost(root));
    if (!isAlone || this.isAllRead) return super.readAll();
    return super.read(0);
  }

  protected override toStored(
    ctx: MutationCtx,
    row: Row,
    before: Row | undefined,
  ): Stored {
    const signpost = { ...row, at: undefined, calm: undefined };
    // Rows below one into which all were gathered do not begin as hot ones do.
    if (isSignpost(row)) return { ...signpost, calm: HEAT.longest };
    const { limit, now } = this;
    const leaf = this.leafOf(row.shard, before);
    const calm = calmOf(before ?? leaf.parent, now);
    const taken = holding(limit, leaf, now).value - row.value;
    const { capacity } = shareOf(limit, leaf.parts);
    const into =
      row.value < 0
        ? undefined
        : widthOf(capacity, leaf.parts, calm, Math.max(1, taken));
    if (into !== undefined) return { ...signpost, into };
    if (leaf.parent !== undefined && calm !== undefined) {
      const isOld = now - lastUse(leaf.parent) > HEAT.restMs;
      if (isOld && calm > HEAT.shrinkAbove) this.calmParts = leaf.parts;
    }
    return { ...row, at: ctx.db.vars.commitTs, calm };
  }

  /** Reads row 0: the first row of the key, so that others show, too, where it is missing. */
  private async readRoot(): Promise<Row | undefined> {
    const { ctx, name, key, known } = this;
    if (!known.has(0) && !this.isAllRead) {
      const doc = await ctx.db
        .query("rateLimits")
        .withIndex("name", (q) => q.eq("name", name).eq("key", key))
        .first();
      const root = this.remember(0, doc?.shard === 0 ? doc : null).before;
      const isOwn = root?.of === undefined && root?.fullAt !== undefined;
      this.isForeign = doc !== null && !isOwn;
    }
    return known.get(0)?.before;
  }

  /** A row below others that have been read. */
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
