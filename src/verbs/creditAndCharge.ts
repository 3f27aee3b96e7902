import { v, type Infer } from "convex/values";
import { mutation } from "../component/_generated/server.js";
import { vGivenRefillingConfig } from "../core/validators.js";
import {
  chargeTokens,
  creditGrowth,
  creditTokens,
  openToAdjust,
} from "./adjust.js";
import { lazily } from "./lazily.js";
import { vTarget, warningsField } from "./signatures.js";

/* Tokens that are given back, or taken without asking. */

/** The arguments of `credit` and `charge`. */
const vAmountArgs = () => vTarget().extend({ count: v.optional(v.number()) });

export const vCredited = () => v.object({ credited: v.number() });

/**
 * Gives tokens back, up to the capacity, and returns how many found room. With `from`, gives what
 * the capacity has grown by since that config applied.
 */
export const credit = mutation({
  args: lazily(() =>
    vAmountArgs().extend({ from: v.optional(vGivenRefillingConfig()) }),
  ),
  returns: lazily(vCredited),
  handler: async (ctx, { from, ...amount }) => {
    if (from !== undefined) {
      return { credited: await creditGrowth(ctx, amount, from) };
    }
    const { opened, count } = await openToAdjust(ctx, amount);
    return { credited: await creditTokens(ctx, opened, count) };
  },
});

const vCharged = () =>
  v.object({
    retryAfter: v.optional(v.number()),
    /** The tokens that were not taken because of `maxDebt`; absent for none. */
    forgiven: v.optional(v.number()),
    ...warningsField(),
  });
export type Charged = Infer<ReturnType<typeof vCharged>>;

/** Takes tokens even into debt, and returns when the debt is paid. */
export const charge = mutation({
  args: lazily(vAmountArgs),
  returns: lazily(vCharged),
  handler: async (ctx, amount) => {
    const { opened, count } = await openToAdjust(ctx, amount);
    return chargeTokens(ctx, opened, count);
  },
});
