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
      checkRateLimit: FunctionReference<
        "query",
        "internal",
        {
          config: {
            advice?: boolean;
            applyUpdates?: "transactionally" | "asynchronously";
            calendar?: {
              period: string;
              timeZone?: string;
              weekStart?: string;
            };
            capacity?: number;
            enforce?: boolean | number;
            isInline?: boolean;
            kind: "token bucket" | "fixed window" | "concurrency";
            lease?: number;
            maxDebt?: number;
            maxReserved?: number;
            overrides?: boolean;
            period?: number;
            rate?: number;
            shards?: number | "auto";
            start?: number | "first use" | null;
            stats?: boolean | number;
            warnAt?: number | Array<number>;
          };
          count?: number;
          denyDebt?: boolean;
          details?: boolean;
          key?: string;
          leave?: number;
          name: string;
          reserve?: boolean;
          seed?: number;
          throws?: boolean;
          upTo?: boolean;
        },
        | {
            limit?: number;
            ok: true;
            remaining?: number;
            resetAfter?: number;
            retryAfter?: number;
            taken?: number;
            wouldDeny?: true;
          }
        | {
            limit?: number;
            ok: false;
            remaining?: number;
            resetAfter?: number;
            retryAfter: number;
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
      enqueueUpdates: FunctionReference<
        "mutation",
        "internal",
        {
          updates: Array<
            | {
                config: {
                  applyUpdates?: "transactionally" | "asynchronously";
                  capacity?: number;
                  kind: "token bucket" | "fixed window";
                  maxReserved?: number;
                  period: number;
                  rate: number;
                  shards?: number | "auto";
                  start?: number | "first use" | null;
                };
                count: number;
                key?: string;
                kind: "consume";
                name: string;
                ts: number;
              }
            | { key?: string; kind: "reset"; name: string }
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
          config: {
            advice?: boolean;
            applyUpdates?: "transactionally" | "asynchronously";
            calendar?: {
              period: string;
              timeZone?: string;
              weekStart?: string;
            };
            capacity?: number;
            enforce?: boolean | number;
            isInline?: boolean;
            kind: "token bucket" | "fixed window" | "concurrency";
            lease?: number;
            maxDebt?: number;
            maxReserved?: number;
            overrides?: boolean;
            period?: number;
            rate?: number;
            shards?: number | "auto";
            start?: number | "first use" | null;
            stats?: boolean | number;
            warnAt?: number | Array<number>;
          };
          key?: string;
          name: string;
          sampleShards?: number;
        },
        {
          config:
            | {
                applyUpdates?: "transactionally" | "asynchronously";
                capacity?: number;
                enforce?: boolean | number;
                kind: "token bucket";
                maxDebt?: number;
                maxReserved?: number;
                overrides?: boolean;
                period: number;
                rate: number;
                shards?: number | "auto";
                start?: null;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
              }
            | {
                applyUpdates?: "transactionally" | "asynchronously";
                capacity?: number;
                enforce?: boolean | number;
                kind: "fixed window";
                maxDebt?: number;
                maxReserved?: number;
                overrides?: boolean;
                period: number;
                rate: number;
                shards?: number | "auto";
                start?: number | "first use";
                stats?: boolean | number;
                warnAt?: number | Array<number>;
              }
            | {
                capacity: number;
                enforce?: boolean | number;
                kind: "concurrency";
                lease: number;
                overrides?: boolean;
                stats?: boolean | number;
                warnAt?: number | Array<number>;
              };
          phases?: Array<{
            config: {
              capacity?: number;
              enforce?: boolean;
              kind: "token bucket" | "fixed window";
              period: number;
              rate: number;
              start?: number | "first use";
            };
            effect: "limited" | "banned" | "unlimited";
            fullFrom?: number;
            rows: Array<{
              endsAt?: number;
              parts?: number;
              starts?: Array<number>;
              ts: number;
              usedAt?: number;
              value: number;
            }>;
            shards: number;
            starts?: Array<number>;
            until?: number;
          }>;
          shard: number;
          ts: number;
          value: number;
        },
        Name
      >;
      rateLimit: FunctionReference<
        "mutation",
        "internal",
        {
          config: {
            advice?: boolean;
            applyUpdates?: "transactionally" | "asynchronously";
            calendar?: {
              period: string;
              timeZone?: string;
              weekStart?: string;
            };
            capacity?: number;
            enforce?: boolean | number;
            isInline?: boolean;
            kind: "token bucket" | "fixed window";
            maxDebt?: number;
            maxReserved?: number;
            overrides?: boolean;
            period: number;
            rate: number;
            shards?: number | "auto";
            start?: number | "first use" | null;
            stats?: boolean | number;
            warnAt?: number | Array<number>;
          };
          count?: number;
          denyDebt?: boolean;
          details?: boolean;
          key?: string;
          leave?: number;
          name: string;
          reserve?: boolean;
          seed?: number;
          throws?: boolean;
          upTo?: boolean;
        },
        | {
            letThrough?: Array<number>;
            limit?: number;
            ok: true;
            remaining?: number;
            resetAfter?: number;
            retryAfter?: number;
            taken?: number;
            warnings?: Array<{
              key?: string;
              limit: number;
              name: string;
              remaining: number;
              share: number;
            }>;
            wouldDeny?: true;
          }
        | {
            limit?: number;
            ok: false;
            remaining?: number;
            resetAfter?: number;
            retryAfter: number;
          },
        Name
      >;
      resetRateLimit: FunctionReference<
        "mutation",
        "internal",
        { key?: string; kind?: "concurrency"; name: string },
        null,
        Name
      >;
    };
    operators: {
      deniedOf: FunctionReference<
        "query",
        "internal",
        { from: number; key: string; name: string; to: number },
        Array<{ denied: number; from: number; isLowerBound: boolean }>,
        Name
      >;
      forget: FunctionReference<
        "mutation",
        "internal",
        { bans?: boolean; key: string },
        {
          bans: Array<{
            bans?: number;
            expiresAt?: number;
            forgetAt?: number;
            key?: string;
            name: string;
            note?: string;
            override:
              | {
                  config: {
                    capacity?: number;
                    enforce?: boolean | number;
                    maxDebt?: number;
                    maxReserved?: number;
                    period?: number;
                    rate?: number;
                  };
                }
              | { deny: true }
              | { unlimited: true };
            startsAt?: number;
          }>;
          isDone: boolean;
        },
        Name
      >;
      isSweeping: FunctionReference<
        "query",
        "internal",
        { of: string; task: "forget" | "reset" },
        boolean,
        Name
      >;
      leases: FunctionReference<
        "query",
        "internal",
        { key?: string; name: string },
        {
          isMore: boolean;
          leases: Array<{
            count: number;
            endsAt: number;
            id: string;
            since: number;
          }>;
        },
        Name
      >;
      list: FunctionReference<
        "query",
        "internal",
        {
          limits: Array<{
            config: {
              advice?: boolean;
              applyUpdates?: "transactionally" | "asynchronously";
              calendar?: {
                period: string;
                timeZone?: string;
                weekStart?: string;
              };
              capacity?: number;
              enforce?: boolean | number;
              isInline?: boolean;
              kind: "token bucket" | "fixed window" | "concurrency";
              lease?: number;
              maxDebt?: number;
              maxReserved?: number;
              overrides?: boolean;
              period?: number;
              rate?: number;
              shards?: number | "auto";
              start?: number | "first use" | null;
              stats?: boolean | number;
              warnAt?: number | Array<number>;
            };
            name: string;
          }>;
          name?: string;
          order?: "key" | "depleted";
          paginationOpts: {
            cursor: string | null;
            endCursor?: string | null;
            id?: number;
            maximumBytesRead?: number;
            maximumRowsRead?: number;
            numItems: number;
          };
          prefix?: string;
        },
        {
          continueCursor: string;
          isDone: boolean;
          page: Array<{
            balance: number;
            capacity?: number;
            key?: string;
            limited: boolean;
            name: string;
            override?:
              | {
                  config: {
                    capacity?: number;
                    enforce?: boolean | number;
                    maxDebt?: number;
                    maxReserved?: number;
                    period?: number;
                    rate?: number;
                  };
                }
              | { deny: true }
              | { unlimited: true };
            shards: Array<number>;
            usedAt: number;
          }>;
        },
        Name
      >;
      listOverrides: FunctionReference<
        "query",
        "internal",
        {
          key?: string | null;
          name?: string;
          paginationOpts: {
            cursor: string | null;
            endCursor?: string | null;
            id?: number;
            maximumBytesRead?: number;
            maximumRowsRead?: number;
            numItems: number;
          };
        },
        {
          continueCursor: string;
          isDone: boolean;
          page: Array<{
            bans?: number;
            expiresAt?: number;
            forgetAt?: number;
            key?: string;
            name: string;
            note?: string;
            override:
              | {
                  config: {
                    capacity?: number;
                    enforce?: boolean | number;
                    maxDebt?: number;
                    maxReserved?: number;
                    period?: number;
                    rate?: number;
                  };
                }
              | { deny: true }
              | { unlimited: true };
            startsAt?: number;
          }>;
        },
        Name
      >;
      names: FunctionReference<
        "query",
        "internal",
        { key?: string; known: Array<string> },
        { isMore: boolean; names: Array<string> },
        Name
      >;
      resetAll: FunctionReference<
        "mutation",
        "internal",
        { name: string },
        { isDone: boolean },
        Name
      >;
      stats: FunctionReference<
        "query",
        "internal",
        { by: "minute" | "hour"; from: number; name: string; to: number },
        Array<{
          closeCalls?: number;
          denied: number;
          from: number;
          granted: number;
          to: number;
          tokens: number;
          wouldDeny?: number;
        }>,
        Name
      >;
      topDenied: FunctionReference<
        "query",
        "internal",
        {
          from: number;
          name: string;
          numKeys?: number;
          to: number;
          wouldDeny?: boolean;
        },
        Array<{ denied: number; key: string }>,
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
    verbs: {
      attach: FunctionReference<
        "mutation",
        "internal",
        { id: string; scheduledId: string },
        null,
        Name
      >;
      charge: FunctionReference<
        "mutation",
        "internal",
        {
          config: {
            advice?: boolean;
            applyUpdates?: "transactionally" | "asynchronously";
            calendar?: {
              period: string;
              timeZone?: string;
              weekStart?: string;
            };
            capacity?: number;
            enforce?: boolean | number;
            isInline?: boolean;
            kind: "token bucket" | "fixed window";
            maxDebt?: number;
            maxReserved?: number;
            overrides?: boolean;
            period: number;
            rate: number;
            shards?: number | "auto";
            start?: number | "first use" | null;
            stats?: boolean | number;
            warnAt?: number | Array<number>;
          };
          count?: number;
          key?: string;
          name: string;
        },
        {
          forgiven?: number;
          retryAfter?: number;
          warnings?: Array<{
            key?: string;
            limit: number;
            name: string;
            remaining: number;
            share: number;
          }>;
        },
        Name
      >;
      checkAll: FunctionReference<
        "query",
        "internal",
        {
          details?: boolean;
          limits: Array<{
            config: {
              advice?: boolean;
              applyUpdates?: "transactionally" | "asynchronously";
              calendar?: {
                period: string;
                timeZone?: string;
                weekStart?: string;
              };
              capacity?: number;
              enforce?: boolean | number;
              isInline?: boolean;
              kind: "token bucket" | "fixed window";
              maxDebt?: number;
              maxReserved?: number;
              overrides?: boolean;
              period: number;
              rate: number;
              shards?: number | "auto";
              start?: number | "first use" | null;
              stats?: boolean | number;
              warnAt?: number | Array<number>;
            };
            count?: number;
            denyDebt?: boolean;
            key?: string;
            leave?: number;
            name: string;
            reserve?: boolean;
          }>;
          seed?: number;
        },
        | {
            each?: Array<{
              limit: number;
              remaining: number;
              resetAfter: number;
            }>;
            limit?: number;
            ok: true;
            remaining?: number;
            resetAfter?: number;
            retryAfter?: number;
            taken?: number;
            wouldDeny?: true;
          }
        | {
            blockedBy: { index: number; name: string };
            each?: Array<{
              limit: number;
              remaining: number;
              resetAfter: number;
            }>;
            limit?: number;
            ok: false;
            remaining?: number;
            resetAfter?: number;
            retryAfter: number;
          },
        Name
      >;
      clearOverride: FunctionReference<
        "mutation",
        "internal",
        { key?: string; name: string },
        null,
        Name
      >;
      credit: FunctionReference<
        "mutation",
        "internal",
        {
          config: {
            advice?: boolean;
            applyUpdates?: "transactionally" | "asynchronously";
            calendar?: {
              period: string;
              timeZone?: string;
              weekStart?: string;
            };
            capacity?: number;
            enforce?: boolean | number;
            isInline?: boolean;
            kind: "token bucket" | "fixed window";
            maxDebt?: number;
            maxReserved?: number;
            overrides?: boolean;
            period: number;
            rate: number;
            shards?: number | "auto";
            start?: number | "first use" | null;
            stats?: boolean | number;
            warnAt?: number | Array<number>;
          };
          count?: number;
          from?: {
            advice?: boolean;
            applyUpdates?: "transactionally" | "asynchronously";
            calendar?: {
              period: string;
              timeZone?: string;
              weekStart?: string;
            };
            capacity?: number;
            enforce?: boolean | number;
            isInline?: boolean;
            kind: "token bucket" | "fixed window";
            maxDebt?: number;
            maxReserved?: number;
            overrides?: boolean;
            period: number;
            rate: number;
            shards?: number | "auto";
            start?: number | "first use" | null;
            stats?: boolean | number;
            warnAt?: number | Array<number>;
          };
          key?: string;
          name: string;
        },
        { credited: number },
        Name
      >;
      holdAll: FunctionReference<
        "mutation",
        "internal",
        {
          expiresAfter?: number;
          limits: Array<{
            config: {
              advice?: boolean;
              applyUpdates?: "transactionally" | "asynchronously";
              calendar?: {
                period: string;
                timeZone?: string;
                weekStart?: string;
              };
              capacity?: number;
              enforce?: boolean | number;
              isInline?: boolean;
              kind: "token bucket" | "fixed window" | "concurrency";
              lease?: number;
              maxDebt?: number;
              maxReserved?: number;
              overrides?: boolean;
              period?: number;
              rate?: number;
              shards?: number | "auto";
              start?: number | "first use" | null;
              stats?: boolean | number;
              warnAt?: number | Array<number>;
            };
            count?: number;
            denyDebt?: boolean;
            expiresAfter?: number;
            key?: string;
            leave?: number;
            name: string;
            once?: string;
            reserve?: boolean;
          }>;
          seed?: number;
        },
        | {
            heldBefore?: Array<number>;
            ids: Array<string>;
            letThrough?: Array<number>;
            ok: true;
            retryAfter?: number;
            warnings?: Array<{
              key?: string;
              limit: number;
              name: string;
              remaining: number;
              share: number;
            }>;
            wouldDeny?: true;
          }
        | {
            blockedBy: { index: number; name: string };
            each?: Array<{
              limit: number;
              remaining: number;
              resetAfter: number;
            }>;
            limit?: number;
            ok: false;
            remaining?: number;
            resetAfter?: number;
            retryAfter: number;
          },
        Name
      >;
      limitAll: FunctionReference<
        "mutation",
        "internal",
        {
          details?: boolean;
          limits: Array<{
            config: {
              advice?: boolean;
              applyUpdates?: "transactionally" | "asynchronously";
              calendar?: {
                period: string;
                timeZone?: string;
                weekStart?: string;
              };
              capacity?: number;
              enforce?: boolean | number;
              isInline?: boolean;
              kind: "token bucket" | "fixed window";
              maxDebt?: number;
              maxReserved?: number;
              overrides?: boolean;
              period: number;
              rate: number;
              shards?: number | "auto";
              start?: number | "first use" | null;
              stats?: boolean | number;
              warnAt?: number | Array<number>;
            };
            count?: number;
            denyDebt?: boolean;
            key?: string;
            leave?: number;
            name: string;
            reserve?: boolean;
          }>;
          seed?: number;
        },
        | {
            each?: Array<{
              limit: number;
              remaining: number;
              resetAfter: number;
            }>;
            letThrough?: Array<number>;
            limit?: number;
            ok: true;
            remaining?: number;
            resetAfter?: number;
            retryAfter?: number;
            taken?: number;
            warnings?: Array<{
              key?: string;
              limit: number;
              name: string;
              remaining: number;
              share: number;
            }>;
            wouldDeny?: true;
          }
        | {
            blockedBy: { index: number; name: string };
            each?: Array<{
              limit: number;
              remaining: number;
              resetAfter: number;
            }>;
            limit?: number;
            ok: false;
            remaining?: number;
            resetAfter?: number;
            retryAfter: number;
          },
        Name
      >;
      penalize: FunctionReference<
        "mutation",
        "internal",
        {
          bans: Array<number>;
          forgetAfter: number;
          key: string;
          name: string;
          note?: string;
          once?: string;
        },
        { retryAfter: number },
        Name
      >;
      releaseScheduled: FunctionReference<
        "mutation",
        "internal",
        {
          limits?: Array<{
            config: {
              advice?: boolean;
              applyUpdates?: "transactionally" | "asynchronously";
              calendar?: {
                period: string;
                timeZone?: string;
                weekStart?: string;
              };
              capacity?: number;
              enforce?: boolean | number;
              isInline?: boolean;
              kind: "token bucket" | "fixed window" | "concurrency";
              lease?: number;
              maxDebt?: number;
              maxReserved?: number;
              overrides?: boolean;
              period?: number;
              rate?: number;
              shards?: number | "auto";
              start?: number | "first use" | null;
              stats?: boolean | number;
              warnAt?: number | Array<number>;
            };
            name: string;
          }>;
          scheduledId: string;
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
      setOverride: FunctionReference<
        "mutation",
        "internal",
        {
          config?: {
            advice?: boolean;
            applyUpdates?: "transactionally" | "asynchronously";
            calendar?: {
              period: string;
              timeZone?: string;
              weekStart?: string;
            };
            capacity?: number;
            enforce?: boolean | number;
            isInline?: boolean;
            kind: "token bucket" | "fixed window" | "concurrency";
            lease?: number;
            maxDebt?: number;
            maxReserved?: number;
            overrides?: boolean;
            period?: number;
            rate?: number;
            shards?: number | "auto";
            start?: number | "first use" | null;
            stats?: boolean | number;
            warnAt?: number | Array<number>;
          };
          credit?: boolean;
          expiresAt?: number;
          key?: string;
          name: string;
          note?: string;
          once?: string;
          override:
            | {
                config: {
                  capacity?: number;
                  enforce?: boolean | number;
                  maxDebt?: number;
                  maxReserved?: number;
                  period?: number;
                  rate?: number;
                };
              }
            | { deny: true }
            | { unlimited: true };
          startsAt?: number;
        },
        { credited: number } | null,
        Name
      >;
      settleAll: FunctionReference<
        "mutation",
        "internal",
        {
          holds: Array<{
            config?: {
              advice?: boolean;
              applyUpdates?: "transactionally" | "asynchronously";
              calendar?: {
                period: string;
                timeZone?: string;
                weekStart?: string;
              };
              capacity?: number;
              enforce?: boolean | number;
              isInline?: boolean;
              kind: "token bucket" | "fixed window" | "concurrency";
              lease?: number;
              maxDebt?: number;
              maxReserved?: number;
              overrides?: boolean;
              period?: number;
              rate?: number;
              shards?: number | "auto";
              start?: number | "first use" | null;
              stats?: boolean | number;
              warnAt?: number | Array<number>;
            };
            count?: number;
            id: string;
          }>;
          isSettle?: boolean;
        },
        {
          forgiven?: Array<number>;
          settled: Array<boolean>;
          warnings?: Array<{
            key?: string;
            limit: number;
            name: string;
            remaining: number;
            share: number;
          }>;
        },
        Name
      >;
    };
  };
