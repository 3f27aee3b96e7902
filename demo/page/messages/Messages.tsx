import { useMutation, useQuery } from "convex/react";
import { isRateLimitError } from "convex-rate-limiter";
import { useRateLimit, useRetryCountdown } from "convex-rate-limiter/react";
import { useState, type FormEvent } from "react";
import { api } from "../../convex/_generated/api.js";
import { explain } from "../explain.js";
import { formatWait, plural } from "../format.js";
import { Said } from "../Said.js";
import { session } from "../session.js";
import { useCalls } from "../useCalls.js";
import "./messages.css";

/** A form whose button follows the limit that the server will enforce. */
export function Messages() {
  const [text, setText] = useState("Hello");
  const { answer, pending, run } = useCalls<string>((error) =>
    isRateLimitError(error)
      ? "The server refused: too many messages."
      : explain(error),
  );
  const send = useMutation(api.messages.send);
  const messages = useQuery(api.messages.list, { session });
  const { status, remaining } = useRateLimit(api.messages.getRateLimit, {
    key: session,
    getServerTimeMutation: api.messages.getServerTime,
  });
  const seconds = useRetryCountdown(status);
  const isDenied = status?.ok === false;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isDenied) return;
    await run(async () => {
      await send({ session, text });
      return `Sent “${text}”.`;
    });
  };

  return (
    <div className="card messages">
      <form
        className="composer"
        aria-label="Send a message"
        onSubmit={(event) => void submit(event)}
      >
        <input
          aria-label="Message"
          value={text}
          maxLength={200}
          onChange={(event) => setText(event.target.value)}
        />
        {/* Not `disabled`, which would take the focus away from the keyboard. */}
        <button type="submit" className="primary" aria-disabled={isDenied}>
          {isDenied ? waitLabel(seconds) : "Send"}
        </button>
        <p className="muted small">
          {remaining === undefined
            ? "Loading"
            : `${plural(remaining, "message")} left`}
        </p>
      </form>
      <Said pending={pending}>{answer}</Said>
      <ul className="message-list" aria-label="Your last messages">
        {messages?.map((message) => (
          <li key={message.id}>{message.text}</li>
        ))}
        {messages?.length === 0 && <li className="empty">Nothing sent yet.</li>}
      </ul>
    </div>
  );
}

/** Without end when nothing that comes in would help, as under a ban without end. */
function waitLabel(seconds: number): string {
  return seconds === Infinity ? "Blocked" : `Wait ${formatWait(seconds)}`;
}
