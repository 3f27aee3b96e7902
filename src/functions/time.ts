import { v } from "convex/values";
import { mutation } from "../component/_generated/server.js";

/** The server's time in ms. A mutation, so that it is never cached. Reads and writes no row. */
export const getServerTime = mutation({
  args: {},
  get returns() {
    return v.number();
  },
  handler: async () => Date.now(),
});
