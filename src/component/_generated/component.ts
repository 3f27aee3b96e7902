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
    forget: {
      forget: FunctionReference<
        "mutation",
        "internal",
        { key: string; bans?: boolean },
        {
          isDone: boolean;
          bans: Array<{
            name: string;
            key?: string;
            override:
              | {
                  config: {
                    rate?: number;
                    period?: number;
                    capacity?: number;
                    maxReserved?: number;
                    enforce?: boolean | number;
                  };
                }
              | { deny: true }
              | { unlimited: true };
            startsAt?: number;
            expiresAt?: number;
            note?: string;
            bans?: number;
            forgetAt?: number;
          }>;
        },
        Name
      >;
      isForgetting: FunctionReference<
        "query",
        "internal",
        { key: string },
        boolean,
        Name
      >;
    };
    holds: {
      attach: FunctionReference<
        "mutation",
        "internal",
        { id: string; scheduledId: string },
        null,
        Name
      >;
      hold: FunctionReference<
        "mutation",
        "internal",
        {
          name: string;
          key?: string;
          config:
            | {
                kind: "token bucket";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: number;
                calendar?: {
                  period: string;
                  timeZone?: string;
                  weekStart?: string;
                };
              }
            | {
                kind: "concurrency";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                capacity: number;
                lease: number;
              };
          count?: number;
          reserve?: boolean;
          leave?: number;
          expiresAfter?: number;
          once?: string;
        },
        | {
            ok: true;
            retryAfter?: number;
            wouldDeny?: true;
            warnings?: Array<{
              name: string;
              key?: string;
              share: number;
              limit: number;
              remaining: number;
            }>;
            spared?: Array<number>;
            id: string;
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
      holdAll: FunctionReference<
        "mutation",
        "internal",
        {
          limits: Array<{
            name: string;
            key?: string;
            config:
              | {
                  kind: "token bucket";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: null;
                }
              | {
                  kind: "fixed window";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: number;
                  calendar?: {
                    period: string;
                    timeZone?: string;
                    weekStart?: string;
                  };
                }
              | {
                  kind: "concurrency";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  capacity: number;
                  lease: number;
                };
            count?: number;
            leave?: number;
            expiresAfter?: number;
            once?: string;
          }>;
          expiresAfter?: number;
        },
        | {
            ok: true;
            retryAfter?: number;
            wouldDeny?: true;
            warnings?: Array<{
              name: string;
              key?: string;
              share: number;
              limit: number;
              remaining: number;
            }>;
            spared?: Array<number>;
            ids: Array<string>;
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
      releaseScheduled: FunctionReference<
        "mutation",
        "internal",
        {
          scheduledId: string;
          limits?: Array<{
            name: string;
            config:
              | {
                  kind: "token bucket";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: null;
                }
              | {
                  kind: "fixed window";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: number;
                  calendar?: {
                    period: string;
                    timeZone?: string;
                    weekStart?: string;
                  };
                }
              | {
                  kind: "concurrency";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  capacity: number;
                  lease: number;
                };
          }>;
        },
        { found: boolean },
        Name
      >;
      renew: FunctionReference<
        "mutation",
        "internal",
        { id: string },
        { renewed: boolean },
        Name
      >;
      settle: FunctionReference<
        "mutation",
        "internal",
        {
          id: string;
          count: number;
          config?:
            | {
                kind: "token bucket";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: number;
                calendar?: {
                  period: string;
                  timeZone?: string;
                  weekStart?: string;
                };
              }
            | {
                kind: "concurrency";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                capacity: number;
                lease: number;
              };
        },
        {
          settled: boolean;
          warnings?: Array<{
            name: string;
            key?: string;
            share: number;
            limit: number;
            remaining: number;
          }>;
        },
        Name
      >;
      settleAll: FunctionReference<
        "mutation",
        "internal",
        {
          holds: Array<{
            id: string;
            count?: number;
            config?:
              | {
                  kind: "token bucket";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: null;
                }
              | {
                  kind: "fixed window";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: number;
                  calendar?: {
                    period: string;
                    timeZone?: string;
                    weekStart?: string;
                  };
                }
              | {
                  kind: "concurrency";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  capacity: number;
                  lease: number;
                };
          }>;
        },
        {
          settled: Array<boolean>;
          warnings?: Array<{
            name: string;
            key?: string;
            share: number;
            limit: number;
            remaining: number;
          }>;
        },
        Name
      >;
    };
    lib: {
      charge: FunctionReference<
        "mutation",
        "internal",
        {
          name: string;
          key?: string;
          config:
            | {
                kind: "token bucket";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: number;
                calendar?: {
                  period: string;
                  timeZone?: string;
                  weekStart?: string;
                };
              };
          count?: number;
        },
        {
          retryAfter?: number;
          warnings?: Array<{
            name: string;
            key?: string;
            share: number;
            limit: number;
            remaining: number;
          }>;
        },
        Name
      >;
      checkAll: FunctionReference<
        "query",
        "internal",
        {
          limits: Array<{
            name: string;
            key?: string;
            config:
              | {
                  kind: "token bucket";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: null;
                }
              | {
                  kind: "fixed window";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: number;
                  calendar?: {
                    period: string;
                    timeZone?: string;
                    weekStart?: string;
                  };
                };
            count?: number;
            reserve?: boolean;
            leave?: number;
          }>;
          details?: boolean;
        },
        | {
            ok: true;
            retryAfter?: number;
            wouldDeny?: true;
            taken?: number;
            warnings?: Array<{
              name: string;
              key?: string;
              share: number;
              limit: number;
              remaining: number;
            }>;
            spared?: Array<number>;
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
          config:
            | {
                kind: "token bucket";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: number;
                calendar?: {
                  period: string;
                  timeZone?: string;
                  weekStart?: string;
                };
              }
            | {
                kind: "concurrency";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                capacity: number;
                lease: number;
              };
          count?: number;
          reserve?: boolean;
          leave?: number;
          upTo?: boolean;
          details?: boolean;
          throws?: boolean;
        },
        | {
            ok: true;
            retryAfter?: number;
            wouldDeny?: true;
            taken?: number;
            warnings?: Array<{
              name: string;
              key?: string;
              share: number;
              limit: number;
              remaining: number;
            }>;
            spared?: Array<number>;
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
          config:
            | {
                kind: "token bucket";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: number;
                calendar?: {
                  period: string;
                  timeZone?: string;
                  weekStart?: string;
                };
              };
          count?: number;
          from?:
            | {
                kind: "token bucket";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: number;
                calendar?: {
                  period: string;
                  timeZone?: string;
                  weekStart?: string;
                };
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
                name: string;
                key?: string;
                kind: "consume";
                count: number;
                config:
                  | {
                      kind: "token bucket";
                      overrides?: boolean;
                      enforce?: boolean | number;
                      stats?: boolean | number;
                      warnAt?: number | Array<number>;
                      rate: number;
                      period: number;
                      capacity?: number;
                      maxReserved?: number;
                      shards?: number | "auto";
                      applyUpdates?: "transactionally" | "asynchronously";
                      headroom?: number;
                      advice?: boolean;
                      isInline?: boolean;
                      start?: null;
                    }
                  | {
                      kind: "fixed window";
                      overrides?: boolean;
                      enforce?: boolean | number;
                      stats?: boolean | number;
                      warnAt?: number | Array<number>;
                      rate: number;
                      period: number;
                      capacity?: number;
                      maxReserved?: number;
                      shards?: number | "auto";
                      applyUpdates?: "transactionally" | "asynchronously";
                      headroom?: number;
                      advice?: boolean;
                      isInline?: boolean;
                      start?: number;
                    };
                ts: number;
              }
            | { name: string; key?: string; kind: "reset" }
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
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: number;
                calendar?: {
                  period: string;
                  timeZone?: string;
                  weekStart?: string;
                };
              }
            | {
                kind: "concurrency";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                capacity: number;
                lease: number;
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
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: number;
              }
            | {
                kind: "concurrency";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                capacity: number;
                lease: number;
              };
          phases?: Array<{
            effect: "limited" | "banned" | "unlimited";
            config:
              | {
                  kind: "token bucket";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: null;
                }
              | {
                  kind: "fixed window";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: number;
                };
            until?: number;
            shards: number;
            rows: Array<{
              value: number;
              ts: number;
              usedAt?: number;
              endsAt?: number;
              starts?: Array<number>;
              parts?: number;
            }>;
            fullFrom?: number;
            starts?: Array<number>;
          }>;
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
            config:
              | {
                  kind: "token bucket";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: null;
                }
              | {
                  kind: "fixed window";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: number;
                  calendar?: {
                    period: string;
                    timeZone?: string;
                    weekStart?: string;
                  };
                };
            count?: number;
            reserve?: boolean;
            leave?: number;
          }>;
          details?: boolean;
        },
        | {
            ok: true;
            retryAfter?: number;
            wouldDeny?: true;
            taken?: number;
            warnings?: Array<{
              name: string;
              key?: string;
              share: number;
              limit: number;
              remaining: number;
            }>;
            spared?: Array<number>;
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
          config:
            | {
                kind: "token bucket";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: number;
                calendar?: {
                  period: string;
                  timeZone?: string;
                  weekStart?: string;
                };
              };
          count?: number;
          reserve?: boolean;
          leave?: number;
          upTo?: boolean;
          details?: boolean;
          throws?: boolean;
        },
        | {
            ok: true;
            retryAfter?: number;
            wouldDeny?: true;
            taken?: number;
            warnings?: Array<{
              name: string;
              key?: string;
              share: number;
              limit: number;
              remaining: number;
            }>;
            spared?: Array<number>;
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
        {
          name: string;
          key?: string;
          config?:
            | {
                kind: "token bucket";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: number;
                calendar?: {
                  period: string;
                  timeZone?: string;
                  weekStart?: string;
                };
              }
            | {
                kind: "concurrency";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                capacity: number;
                lease: number;
              };
        },
        null,
        Name
      >;
    };
    list: {
      leases: FunctionReference<
        "query",
        "internal",
        { name: string; key?: string },
        {
          leases: Array<{
            id: string;
            count: number;
            since: number;
            endsAt: number;
          }>;
          isMore: boolean;
        },
        Name
      >;
      list: FunctionReference<
        "query",
        "internal",
        {
          limits: Array<{
            name: string;
            config:
              | {
                  kind: "token bucket";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: null;
                }
              | {
                  kind: "fixed window";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  rate: number;
                  period: number;
                  capacity?: number;
                  maxReserved?: number;
                  shards?: number | "auto";
                  applyUpdates?: "transactionally" | "asynchronously";
                  headroom?: number;
                  advice?: boolean;
                  isInline?: boolean;
                  start?: number;
                  calendar?: {
                    period: string;
                    timeZone?: string;
                    weekStart?: string;
                  };
                }
              | {
                  kind: "concurrency";
                  overrides?: boolean;
                  enforce?: boolean | number;
                  stats?: boolean | number;
                  warnAt?: number | Array<number>;
                  capacity: number;
                  lease: number;
                };
          }>;
          name?: string;
          order?: "key" | "depleted";
          prefix?: string;
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
                    enforce?: boolean | number;
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
      listOverrides: FunctionReference<
        "query",
        "internal",
        {
          name?: string;
          key?: string | null;
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
            override:
              | {
                  config: {
                    rate?: number;
                    period?: number;
                    capacity?: number;
                    maxReserved?: number;
                    enforce?: boolean | number;
                  };
                }
              | { deny: true }
              | { unlimited: true };
            startsAt?: number;
            expiresAt?: number;
            note?: string;
            bans?: number;
            forgetAt?: number;
          }>;
          isDone: boolean;
          continueCursor: string;
        },
        Name
      >;
      names: FunctionReference<
        "query",
        "internal",
        { known: Array<string> },
        { names: Array<string>; isMore: boolean },
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
      penalize: FunctionReference<
        "mutation",
        "internal",
        {
          name: string;
          key: string;
          bans: Array<number>;
          forgetAfter: number;
          note?: string;
          once?: string;
        },
        { retryAfter: number },
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
                  enforce?: boolean | number;
                };
              }
            | { deny: true }
            | { unlimited: true };
          startsAt?: number;
          expiresAt?: number;
          note?: string;
          once?: string;
        },
        null,
        Name
      >;
    };
    overrideWithCredit: {
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
                  enforce?: boolean | number;
                };
              }
            | { deny: true }
            | { unlimited: true };
          startsAt?: number;
          expiresAt?: number;
          note?: string;
          once?: string;
          credit: true;
          config:
            | {
                kind: "token bucket";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: null;
              }
            | {
                kind: "fixed window";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                rate: number;
                period: number;
                capacity?: number;
                maxReserved?: number;
                shards?: number | "auto";
                applyUpdates?: "transactionally" | "asynchronously";
                headroom?: number;
                advice?: boolean;
                isInline?: boolean;
                start?: number;
                calendar?: {
                  period: string;
                  timeZone?: string;
                  weekStart?: string;
                };
              }
            | {
                kind: "concurrency";
                overrides?: boolean;
                enforce?: boolean | number;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
                capacity: number;
                lease: number;
              };
        },
        { credited: number },
        Name
      >;
    };
    stats: {
      deniedOf: FunctionReference<
        "query",
        "internal",
        { name: string; key: string; from: number; to: number },
        Array<{ from: number; denied: number; isLowerBound: boolean }>,
        Name
      >;
      stats: FunctionReference<
        "query",
        "internal",
        { name: string; from: number; to: number; by: "minute" | "hour" },
        Array<{
          from: number;
          to: number;
          granted: number;
          denied: number;
          wouldDeny?: number;
          tokens: number;
          closeCalls?: number;
        }>,
        Name
      >;
      topDenied: FunctionReference<
        "query",
        "internal",
        {
          name: string;
          from: number;
          to: number;
          limit?: number;
          wouldDeny?: boolean;
        },
        Array<{ key: string; denied: number }>,
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
