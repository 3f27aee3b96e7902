import { v } from "convex/values";
import { vDebit, vLimitKey, vRow } from "../core/validators.js";
import { internalQuery } from "./_generated/server.js";
import { readDebitsOrRows } from "./stores/debits/stored.js";

/** The state of an asynchronous limit as a mutation sees it: see `readDebitsOrRows`. */
export const debits = internalQuery({
  get args() {
    return vLimitKey().fields;
  },
  get returns() {
    return v.object({
      debits: v.array(vDebit().extend({ at: v.optional(v.int64()) })),
      rows: v.array(vRow()),
    });
  },
  handler: (ctx, { name, key }) => readDebitsOrRows(ctx, name, key),
});
