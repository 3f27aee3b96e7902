import { useContext, useRef, useState } from "preact/hooks";
import type { Answer } from "../../src/dashboard/answer.js";
import type { DashboardLease } from "../../src/dashboard/reads.js";
import { Confirm, sayFailure } from "./Actions.js";
import { KeyName, Text } from "./Name.js";
import { askServer, type Failure } from "./server.js";
import { failureOf, Session, useServerNow } from "./session.js";
import { formatCount, formatDuration } from "./words.js";

/** The leases of a concurrency limit, with a button to end each. */
export function Leases({
  limit,
  name,
  of: { leases, isMore },
  onDone,
}: {
  limit: string;
  name: string | undefined;
  of: NonNullable<Answer<"key">["leases"]>;
  onDone: () => void;
}) {
  const { token, onRefused } = useContext(Session);
  const now = useServerNow(1000);
  const [asking, setAsking] = useState<DashboardLease>();
  const [said, setSaid] = useState("");
  const [failure, setFailure] = useState<Failure>();
  const title = useRef<HTMLHeadingElement>(null);
  const running = leases.filter(({ endsAt }) => endsAt > now);

  const close = () => {
    setAsking(undefined);
    title.current?.focus({ preventScroll: true });
  };
  const release = async ({ id }: DashboardLease) => {
    close();
    setSaid("");
    setFailure(undefined);
    try {
      const asked = { ask: "release", limit, id } as const;
      const { released } = await askServer<"release">(token, asked);
      setSaid(
        released === true
          ? "Done: the lease is released."
          : "Nothing changed: the lease had ended.",
      );
      onDone();
    } catch (error) {
      const why = failureOf(error);
      if (why.kind === "refused") return onRefused(why.status);
      setFailure(why);
    }
  };

  return (
    <section>
      <h2 ref={title} tabIndex={-1}>
        Leases
      </h2>
      {running.length === 0 ? (
        <p class="muted">Nothing runs.</p>
      ) : (
        <ul class="leases">
          {running.map((lease, i) => (
            <li key={lease.id}>
              <span>
                {lease.count === 0
                  ? "Nothing held"
                  : `${formatCount(lease.count)} held`}
                , ends in {formatDuration(lease.endsAt - now)} unless renewed
              </span>
              <span class="when">{ageOf(lease, now)} old</span>
              <button
                type="button"
                // Leases taken at the same time differ only by their place in the list.
                aria-label={`Release the lease that is ${ageOf(lease, now)} old, ${i + 1} of ${running.length}`}
                onClick={() => setAsking(lease)}
              >
                Release
              </button>
            </li>
          ))}
        </ul>
      )}
      {isMore && (
        <p class="muted small">
          These are the 100 that end first; there are more.
        </p>
      )}
      <p class="said" role="status">
        {said}
      </p>
      <p class="error" role="alert">
        {failure !== undefined && <Text of={sayFailure(failure)} />}
      </p>
      {asking !== undefined && (
        <Confirm
          question={
            <>
              Release a lease of <KeyName of={name} />?
            </>
          }
          loss={`It was taken ${ageOf(asking, now)} ago. Its place is free at once, though what runs goes on: more can run than the limit says. This cannot be undone.`}
          yes="Release"
          onYes={() => void release(asking)}
          onNo={close}
        />
      )}
    </section>
  );
}

const ageOf = ({ since }: DashboardLease, now: number) =>
  formatDuration(Math.max(0, now - since));
