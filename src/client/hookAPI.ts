import {
  mutationGeneric,
  queryGeneric,
  type GenericDataModel,
  type QueryBuilder,
} from "convex/server";
import { v } from "convex/values";
import type { ShownConfig } from "../core/config.js";
import type { GetValueReturns } from "../core/value.js";
import { vValue } from "../core/validators.js";
import type { Calls } from "./calls.js";
import { configOf, fail, requireKeyIfSet, findTarget } from "./checks.js";
import type { HookAPIFunctions, HookAPIOptions } from "./types.js";

/**
 * The functions that `hookAPI` makes.
 *
 * @throws An `Error` if the limit is not defined, its config is bad, or its key is missing.
 */
export function hookFunctions<DataModel extends GenericDataModel>(
  calls: Calls,
  name: string,
  { key, sampleShards, config }: HookAPIOptions<DataModel>,
): HookAPIFunctions<ShownConfig> {
  const { limits } = calls;
  if (typeof config !== "function") {
    const found = configOf(limits, name, config);
    if (typeof key !== "function") requireKeyIfSet(name, found, key);
  }
  const query: QueryBuilder<DataModel, "public"> = queryGeneric;
  return {
    getRateLimit: query({
      args: {
        name: v.optional(v.string()),
        key: v.optional(v.string()),
        sampleShards: v.optional(v.number()),
        // Accepted here only to be refused with a clear error.
        config: v.optional(v.any()),
      },
      // Convex's static code generation types the query by it. Read only when Convex analyses it.
      get returns() {
        return vValue();
      },
      handler: async (ctx, args): Promise<GetValueReturns<ShownConfig>> => {
        if (args.name !== undefined && args.name !== name) {
          throw new Error(
            `This query is for the rate limit ${name}, not for ${args.name}.`,
          );
        }
        if (args.config !== undefined) {
          fail(name, "the config is the server's to choose.");
        }
        if (args.key !== undefined && typeof key !== "function") {
          fail(
            name,
            "to let clients send a key, give hookAPI a key function that checks it.",
          );
        }
        const found =
          typeof key === "function" ? await key(ctx, args.key) : (key ?? null);
        const request = calls.request(name, {
          ...(await findTarget(limits, name, found, config, ctx)),
          sampleShards: args.sampleShards ?? sampleShards,
        });
        return ctx.runQuery(calls.component.lib.getValue, request);
      },
    }),
    getServerTime: mutationGeneric({
      args: {},
      returns: v.number(),
      handler: async () => Date.now(),
    }),
  };
}
