import { useMutation, useQuery } from "convex/react";
import { useRateLimit, useRetryCountdown } from "convex-rate-limiter/react";
import { useState, type FormEvent } from "react";
import { formatDuration } from "../../../dashboard/page/words.js";
import { api } from "../../convex/_generated/api.js";
import { granted, useCalls } from "../calls.js";
import { CallStatus } from "../CallStatus.js";
import { plural } from "../words.js";
import { session } from "../session.js";

/** What an impatient visitor writes. */
const SAMPLES = ["Hello!", "Anyone there?", "Hello??", "HELLO!!!"];

/** A chat whose button follows the limit that the server enforces. */
export function Chat() {
  const [text, setText] = useState(SAMPLES[0]!);
  const calls = useCalls();
  const send = useMutation(api.messages.send);
  const messages = useQuery(api.messages.list, { session });
  const { status, remaining } = useRateLimit(api.messages.getRateLimit, {
    key: session,
    getServerTimeMutation: api.messages.getServerTime,
  });
  const seconds = useRetryCountdown(status);
  const isDenied = status?.ok === false;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isDenied) return;
    setText(SAMPLES[(SAMPLES.indexOf(text) + 1) % SAMPLES.length]!);
    void calls.run(async () => {
      await send({ session, text });
      return granted(`“${text}”`);
    });
  };

  return (
    <section className="trial chat" aria-label="A chat with a limit">
      <div className="talk">
        <p>Hello! Send me three messages, then one more.</p>
        <ol aria-label="Your last messages">
          {messages?.toReversed().map((message) => (
            <li key={message.id}>{message.text}</li>
          ))}
        </ol>
      </div>
      <CallStatus {...calls} hint="The button follows the limit." />
      <form className="composer" aria-label="Send a message" onSubmit={submit}>
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
    </section>
  );
}

/** `Infinity` seconds is a ban without an end. */
function waitLabel(seconds: number): string {
  if (seconds === Infinity) return "Blocked";
  return `Wait ${seconds < 120 ? `${seconds} s` : formatDuration(seconds * 1000)}`;
}
