import { useBrowserTime, useRetryCountdown } from "convex-rate-limiter/react";
import { useMutation, useQuery } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { api } from "../convex/_generated/api.js";
import { TextForm } from "./TextForm.js";

type Letter = FunctionReturnType<typeof api.mail.list>[number];

export function Mail() {
  const queue = useMutation(api.mail.queue);
  const letters = useQuery(api.mail.list);
  return (
    <section className="card">
      <h2>Write to the owner</h2>
      <TextForm
        label="Letter"
        maxLength={500}
        onSend={(text) => queue({ text })}
        limit={api.mail}
        button="Mail"
        hint={(remaining) =>
          `${remaining} more at once. One goes out every five seconds.`
        }
        denied="You have written enough for now."
      />
      <ul className="entries" aria-live="polite">
        {letters?.map((letter) => (
          <Entry key={letter.id} letter={letter} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ letter: { id, text, dueAt, isSent } }: { letter: Letter }) {
  const cancel = useMutation(api.mail.cancel);
  const retryAt = useBrowserTime(dueAt, {
    getServerTimeMutation: api.mail.getServerTime,
  });
  const seconds = useRetryCountdown(
    isSent ? undefined : { ok: false, retryAt },
  );
  return (
    <li className="row">
      <p className="one-line">{text}</p>
      <span className="muted small">
        {isSent ? "Sent" : seconds > 0 ? `in ${seconds} s` : "now"}
      </span>
      {isSent ? null : (
        <button
          aria-label={`Cancel ${text}`}
          onClick={() => void cancel({ id })}
        >
          Cancel
        </button>
      )}
    </li>
  );
}
