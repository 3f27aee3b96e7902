import type { FunctionReturnType } from "convex/server";
import type { ComponentApi } from "../component/_generated/component.js";
import { rateLimitedError } from "../core/errors.js";
import type {
  AmountOptions,
  MutationCtx,
  RateLimiterOptions,
} from "./types.js";

/** A request that was sent to the component, as far as callbacks are told of it. */
export type Requested = AmountOptions & { name: string };

type Granted = {
  ok?: true;
  warnings?: FunctionReturnType<ComponentApi["holds"]["settle"]>["warnings"];
  /** The indexes of the requests that only a dry run let through. */
  spared?: number[];
};

type Denied = {
  ok: false;
  retryAfter: number;
  /** Which of the requests was denied; absent if there is only one. */
  blockedBy?: { index: number };
};

/** The component's answer, with `warnings` and `spared` for the callbacks. */
export type ComponentAnswer = Granted | Denied;

/**
 * Calls `onDenied`, `onWouldDeny` and `onWarning` as the answer requires, and removes from it
 * what only they need.
 *
 * @throws A `ConvexError` if denied and `throws` is true, and whatever a callback throws.
 */
export async function runCallbacks<Answer extends ComponentAnswer>(
  callbacks: RateLimiterOptions,
  ctx: MutationCtx,
  answer: Answer,
  requests: readonly Requested[] = [],
  throws?: boolean,
): Promise<Answer> {
  if (answer.ok === false) {
    const { name, key, count = 1 } = deniedRequest(answer, requests);
    await callbacks.onDenied?.(ctx, {
      name,
      key,
      count,
      retryAfter: answer.retryAfter,
    });
    requireGranted(answer, requests, throws);
  } else {
    const { warnings = [], spared = [] } = answer;
    delete answer.warnings;
    delete answer.spared;
    for (const index of spared) {
      const { name, key, count = 1 } = requests[index]!;
      await callbacks.onWouldDeny?.(ctx, { name, key, count });
    }
    for (const { name, key, ...warning } of warnings) {
      await callbacks.onWarning?.(ctx, { name, key, ...warning });
    }
  }
  return answer;
}

/** @throws A `ConvexError` if denied and `throws` is true. */
export function requireGranted(
  answer: { ok: true } | Denied,
  requests: readonly Requested[],
  throws: boolean | undefined,
): void {
  if (answer.ok || throws !== true) return;
  const { name, key } = deniedRequest(answer, requests);
  throw rateLimitedError(name, key, answer.retryAfter);
}

function deniedRequest(
  { blockedBy }: Denied,
  requests: readonly Requested[],
): Requested {
  return requests[blockedBy?.index ?? 0]!;
}
