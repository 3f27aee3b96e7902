import type { RateLimitOverride } from "../../src/client/index.js";
import { KeyName, Text } from "./Name.js";
import { LimitHead, Pager, ReadingStatus } from "./parts.js";
import { toHash, type RouteOf } from "./route.js";
import { useAnswer, useServerNow } from "./session.js";
import { describeOverride, describeTimes } from "./words.js";

/** The overrides of a limit and of its keys, whether these are in use or not. */
export function Overrides({ route }: { route: RouteOf<"overrides"> }) {
  const { limit, cursors } = route;
  const hashOf = (pages: string[]) => toHash({ ...route, cursors: pages });
  const reading = useAnswer<"overrides">({
    ask: "overrides",
    limit,
    cursor: cursors.at(-1) ?? null,
  });
  const { answer, isStale } = reading;
  return (
    <>
      <LimitHead
        limit={limit}
        current="overrides"
        config={answer?.config}
        whole={answer?.whole}
      />
      <ReadingStatus
        reading={reading}
        first={cursors.length === 0 ? undefined : hashOf([])}
      />
      {answer !== undefined && (
        <div data-stale={isStale}>
          {answer.config.overrides !== true ? (
            <NoOverrides />
          ) : answer.overrides.length === 0 ? (
            <p class="empty">
              No bans and no exceptions: every limit is as the code says.
            </p>
          ) : (
            <ul class="overrides">
              {answer.overrides.map((override, i) => (
                <li key={i}>
                  <a
                    class="key"
                    href={toHash({ view: "key", limit, key: override.key })}
                  >
                    {override.key === undefined ? (
                      <em>Whole limit</em>
                    ) : (
                      <KeyName of={override.key} />
                    )}
                  </a>
                  <Override override={override} />
                </li>
              ))}
            </ul>
          )}
          <Pager
            cursors={cursors}
            next={answer.next}
            isStale={isStale}
            hashOf={hashOf}
          />
        </div>
      )}
    </>
  );
}

/** Says why a limit cannot be changed from here. */
export function NoOverrides() {
  return (
    <p class="empty">
      This limit looks for no overrides, so nobody can be banned or given
      another rate here. Set <code>overrides: true</code> in its config and
      deploy: that costs one more indexed read for each call.
    </p>
  );
}

export function Override({ override }: { override: RateLimitOverride }) {
  const now = useServerNow(1000);
  const { expiresAt, note, bans } = override;
  return (
    <div class="override">
      <p>
        <b>{describeOverride(override)}</b>
        {describeTimes(override, now)}
        {expiresAt === undefined && " until cleared"}
        {bans !== undefined && `, ban ${bans} in a row`}
      </p>
      {note !== undefined && (
        <p class="note">
          <Text of={note} />
        </p>
      )}
    </div>
  );
}
