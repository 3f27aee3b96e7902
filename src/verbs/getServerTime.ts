import { v } from "convex/values";
import { mutation } from "../component/_generated/server.js";
import { lazily } from "./lazily.js";

/** The server's time in ms. A mutation, so that it is never cached. Reads and writes no row. */
export const getServerTime = mutation({
  args: {},
  returns: lazily(() => v.number()),
  handler: async () => Date.now(),
});
