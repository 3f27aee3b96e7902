import { v } from "convex/values";
import { mutation } from "../component/_generated/server.js";
import { vStoredRefillingConfig } from "../core/validators.js";
import {
  chargeTokens,
  creditTokens,
  openToAdjust,
  openToCreditGrowth,
} from "../verbs/adjust.js";
import {
  vAmountArgs,
  vCharged,
  vCredited,
  type Charged,
  type Credited,
} from "../verbs/signatures.js";

/* Tokens that are given back, or taken without asking. */

/**
 * Gives tokens back, up to the capacity, and returns how many found room. With `from`, gives what
 * the capacity has grown by since that config applied.
 */
export const credit = mutation({
  get args() {
    return {
      ...vAmountArgs().fields,
      from: v.optional(vStoredRefillingConfig()),
    };
  },
  get returns() {
    return vCredited();
  },
  handler: async (ctx, { from, ...amount }): Promise<Credited> => {
    const { opened, count } =
      from === undefined
        ? await openToAdjust(ctx, amount)
        : await openToCreditGrowth(ctx, amount, from);
    return { credited: await creditTokens(ctx, opened, count) };
  },
});

/** Takes tokens even into debt, and returns when the debt is paid. */
export const charge = mutation({
  get args() {
    return vAmountArgs().fields;
  },
  get returns() {
    return vCharged();
  },
  handler: async (ctx, amount): Promise<Charged> => {
    const { opened, count } = await openToAdjust(ctx, amount);
    return chargeTokens(ctx, opened, count);
  },
});
