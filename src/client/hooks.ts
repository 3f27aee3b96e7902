import type { FunctionReturnType } from "convex/server";
import type { ComponentApi } from "../component/_generated/component.js";
import { rateLimitedError } from "../core/errors.js";
import type {
  AmountOptions,
  MutationCtx,
  RateLimiterOptions,
} from "./types.js";

/** What was requested, as the hooks are told. */
export type Requested = AmountOptions & { name: string };

/** What an answer tells for the hooks alone. */
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

/** What an answer says of the requests. */
export type HookAnswer = Granted | Denied;

/**
 * Tells the hooks what came of the requests, and removes from the answer what is for them alone.
 *
 * @throws A `ConvexError` if denied and `throws` is true, and what a hook throws.
 */
export async function tellHooks<Answer extends HookAnswer>(
  hooks: RateLimiterOptions,
  ctx: MutationCtx,
  answer: Answer,
  requests: readonly Requested[] = [],
  throws?: boolean,
): Promise<Answer> {
  if (answer.ok === false) {
    const { name, key, count = 1 } = refusedOf(answer, requests);
    await hooks.onDenied?.(ctx, {
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
      await hooks.onWouldDeny?.(ctx, { name, key, count });
    }
    for (const { name, key, ...warning } of warnings) {
      await hooks.onWarning?.(ctx, { name, key, ...warning });
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
  const { name, key } = refusedOf(answer, requests);
  throw rateLimitedError(name, key, answer.retryAfter);
}

function refusedOf(
  { blockedBy }: Denied,
  requests: readonly Requested[],
): Requested {
  return requests[blockedBy?.index ?? 0]!;
}
