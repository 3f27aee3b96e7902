/* eslint-disable */
/**
 * Generated `ComponentApi` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type { FunctionReference } from "convex/server";

/**
 * A utility for referencing a Convex component's exposed API.
 *
 * Useful when expecting a parameter like `components.myComponent`.
 * Usage:
 * ```ts
 * async function myFunction(ctx: QueryCtx, component: ComponentApi) {
 *   return ctx.runQuery(component.someFile.someQuery, { ...args });
 * }
 * ```
 */
export type ComponentApi<Name extends string | undefined = string | undefined> =
  {
    lib: {
      charge: FunctionReference<
        "mutation",
        "internal",
        {
          name: string;
          key?: string;
          count?: number;
          config:
            | {
                kind: "token bucket";
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number;
                applyUpdates?: "transactionally" | "asynchronously";
                overrides?: boolean;
                enforce?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number;
                applyUpdates?: "transactionally" | "asynchronously";
                overrides?: boolean;
                enforce?: boolean;
                start?: number;
              };
        },
        { retryAfter?: number },
        Name
      >;
      checkAll: FunctionReference<
        "query",
        "internal",
        {
          limits: Array<{
            name: string;
            key?: string;
            count?: number;
            reserve?: boolean;
            config:
              | {
                  kind: "token bucket";
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number;
                  applyUpdates?: "transactionally" | "asynchronously";
                  overrides?: boolean;
                  enforce?: boolean;
                  start?: null;
                }
              | {
                  kind: "fixed window";
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number;
                  applyUpdates?: "transactionally" | "asynchronously";
                  overrides?: boolean;
                  enforce?: boolean;
                  start?: number;
                };
          }>;
          throws?: boolean;
          details?: boolean;
        },
        | {
            ok: true;
            retryAfter?: number;
            wouldDeny?: true;
            limit?: number;
            remaining?: number;
            resetAfter?: number;
          }
        | {
            ok: false;
            retryAfter: number;
            limit?: number;
            remaining?: number;
            resetAfter?: number;
            blockedBy: { index: number; name: string };
          },
        Name
      >;
      checkRateLimit: FunctionReference<
        "query",
        "internal",
        {
          name: string;
          key?: string;
          count?: number;
          reserve?: boolean;
          config:
            | {
                kind: "token bucket";
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number;
                applyUpdates?: "transactionally" | "asynchronously";
                overrides?: boolean;
                enforce?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number;
                applyUpdates?: "transactionally" | "asynchronously";
                overrides?: boolean;
                enforce?: boolean;
                start?: number;
              };
          throws?: boolean;
          details?: boolean;
        },
        | {
            ok: true;
            retryAfter?: number;
            wouldDeny?: true;
            limit?: number;
            remaining?: number;
            resetAfter?: number;
          }
        | {
            ok: false;
            retryAfter: number;
            limit?: number;
            remaining?: number;
            resetAfter?: number;
          },
        Name
      >;
      clearAll: FunctionReference<
        "mutation",
        "internal",
        { before?: number },
        null,
        Name
      >;
      credit: FunctionReference<
        "mutation",
        "internal",
        {
          name: string;
          key?: string;
          count?: number;
          config:
            | {
                kind: "token bucket";
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number;
                applyUpdates?: "transactionally" | "asynchronously";
                overrides?: boolean;
                enforce?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number;
                applyUpdates?: "transactionally" | "asynchronously";
                overrides?: boolean;
                enforce?: boolean;
                start?: number;
              };
        },
        { credited: number },
        Name
      >;
      enqueueUpdates: FunctionReference<
        "mutation",
        "internal",
        {
          updates: Array<
            | {
                kind: "consume";
                name: string;
                key?: string;
                count: number;
                config:
                  | {
                      kind: "token bucket";
                      rate: number;
                      period: number;
                      capacity?: number;
                      maxReserved?: number;
                      shards?: number;
                      applyUpdates?: "transactionally" | "asynchronously";
                      overrides?: boolean;
                      enforce?: boolean;
                      start?: null;
                    }
                  | {
                      kind: "fixed window";
                      rate: number;
                      period: number;
                      capacity?: number;
                      maxReserved?: number;
                      shards?: number;
                      applyUpdates?: "transactionally" | "asynchronously";
                      overrides?: boolean;
                      enforce?: boolean;
                      start?: number;
                    };
                ts: number;
              }
            | { kind: "reset"; name: string; key?: string }
          >;
        },
        null,
        Name
      >;
      getServerTime: FunctionReference<
        "mutation",
        "internal",
        {},
        number,
        Name
      >;
      getValue: FunctionReference<
        "query",
        "internal",
        {
          name: string;
          key?: string;
          config:
            | {
                kind: "token bucket";
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number;
                applyUpdates?: "transactionally" | "asynchronously";
                overrides?: boolean;
                enforce?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number;
                applyUpdates?: "transactionally" | "asynchronously";
                overrides?: boolean;
                enforce?: boolean;
                start?: number;
              };
          sampleShards?: number;
        },
        {
          value: number;
          ts: number;
          shard: number;
          config:
            | {
                kind: "token bucket";
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number;
                applyUpdates?: "transactionally" | "asynchronously";
                overrides?: boolean;
                enforce?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number;
                applyUpdates?: "transactionally" | "asynchronously";
                overrides?: boolean;
                enforce?: boolean;
                start?: number;
              };
        },
        Name
      >;
      limitAll: FunctionReference<
        "mutation",
        "internal",
        {
          limits: Array<{
            name: string;
            key?: string;
            count?: number;
            reserve?: boolean;
            config:
              | {
                  kind: "token bucket";
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number;
                  applyUpdates?: "transactionally" | "asynchronously";
                  overrides?: boolean;
                  enforce?: boolean;
                  start?: null;
                }
              | {
                  kind: "fixed window";
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number;
                  applyUpdates?: "transactionally" | "asynchronously";
                  overrides?: boolean;
                  enforce?: boolean;
                  start?: number;
                };
          }>;
          throws?: boolean;
          details?: boolean;
        },
        | {
            ok: true;
            retryAfter?: number;
            wouldDeny?: true;
            limit?: number;
            remaining?: number;
            resetAfter?: number;
          }
        | {
            ok: false;
            retryAfter: number;
            limit?: number;
            remaining?: number;
            resetAfter?: number;
            blockedBy: { index: number; name: string };
          },
        Name
      >;
      rateLimit: FunctionReference<
        "mutation",
        "internal",
        {
          name: string;
          key?: string;
          count?: number;
          reserve?: boolean;
          config:
            | {
                kind: "token bucket";
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number;
                applyUpdates?: "transactionally" | "asynchronously";
                overrides?: boolean;
                enforce?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number;
                applyUpdates?: "transactionally" | "asynchronously";
                overrides?: boolean;
                enforce?: boolean;
                start?: number;
              };
          throws?: boolean;
          details?: boolean;
        },
        | {
            ok: true;
            retryAfter?: number;
            wouldDeny?: true;
            limit?: number;
            remaining?: number;
            resetAfter?: number;
          }
        | {
            ok: false;
            retryAfter: number;
            limit?: number;
            remaining?: number;
            resetAfter?: number;
          },
        Name
      >;
      resetRateLimit: FunctionReference<
        "mutation",
        "internal",
        { name: string; key?: string },
        null,
        Name
      >;
    };
    list: {
      list: FunctionReference<
        "query",
        "internal",
        {
          limits: Array<{
            name: string;
            config:
              | {
                  kind: "token bucket";
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number;
                  applyUpdates?: "transactionally" | "asynchronously";
                  overrides?: boolean;
                  enforce?: boolean;
                  start?: null;
                }
              | {
                  kind: "fixed window";
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number;
                  applyUpdates?: "transactionally" | "asynchronously";
                  overrides?: boolean;
                  enforce?: boolean;
                  start?: number;
                };
          }>;
          name?: string;
          order?: "key" | "depleted";
          paginationOpts: {
            numItems: number;
            cursor: string | null;
            endCursor?: string | null;
            id?: number;
            maximumRowsRead?: number;
            maximumBytesRead?: number;
          };
        },
        {
          page: Array<{
            name: string;
            key?: string;
            balance: number;
            shards: Array<number>;
            capacity?: number;
            usedAt: number;
            limited: boolean;
            override?:
              | {
                  config: {
                    rate?: number;
                    period?: number;
                    capacity?: number;
                    maxReserved?: number;
                  };
                }
              | { deny: true }
              | { unlimited: true };
          }>;
          isDone: boolean;
          continueCursor: string;
        },
        Name
      >;
    };
    overrides: {
      clearOverride: FunctionReference<
        "mutation",
        "internal",
        { name: string; key?: string },
        null,
        Name
      >;
      listOverrides: FunctionReference<
        "query",
        "internal",
        { name?: string; after?: string },
        Array<{
          name: string;
          key?: string;
          override:
            | {
                config: {
                  rate?: number;
                  period?: number;
                  capacity?: number;
                  maxReserved?: number;
                };
              }
            | { deny: true }
            | { unlimited: true };
          expiresAt?: number;
          note?: string;
        }>,
        Name
      >;
      setOverride: FunctionReference<
        "mutation",
        "internal",
        {
          name: string;
          key?: string;
          override:
            | {
                config: {
                  rate?: number;
                  period?: number;
                  capacity?: number;
                  maxReserved?: number;
                };
              }
            | { deny: true }
            | { unlimited: true };
          expiresAt?: number;
          note?: string;
        },
        null,
        Name
      >;
    };
    time: {
      getServerTime: FunctionReference<
        "mutation",
        "internal",
        {},
        number,
        Name
      >;
    };
  };
