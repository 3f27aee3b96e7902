import type { LimitConfig } from "../../src/client/index.js";
import { toStored } from "../../src/core/config.js";
import { splitsItself } from "../../src/core/limit.js";
import type { CloseCalls as Counts } from "../../src/dashboard/reads.js";
import { count } from "./words.js";

/**
 * How often calls came so close on one row that they could have conflicted, and what to do about
 * it. Nothing for limits that split themselves, or whose calls write no row in common.
 */
export function CloseCalls({
  config,
  close,
}: {
  config: LimitConfig;
  close: Counts | undefined;
}) {
  const { kind, applyUpdates, warnAt } = config;
  if (close === undefined || kind === "concurrency") return null;
  if (applyUpdates === "asynchronously") return null;
  if (splitsItself(toStored(config))) return null;
  return (
    <section>
      <h2>Close calls</h2>
      <p>
        {count(close.hour)} in the last hour, {count(close.day)} in the last
        day.
      </p>
      <p class="muted small">
        Granted calls that found their row written less than 50 ms before: there
        calls can conflict.
      </p>
      {close.day > 0 && (
        <p class="muted small">
          Try{" "}
          {warnAt === undefined && (
            <>
              <code>shards: "auto"</code>, or{" "}
            </>
          )}
          <code>applyUpdates: "asynchronously"</code>. See docs/scaling.md of
          convex-rate-limiter.
        </p>
      )}
    </section>
  );
}
