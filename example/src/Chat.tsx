import { useMutation, useQuery } from "convex/react";
import { useEffect, useRef } from "react";
import { api } from "../convex/_generated/api.js";
import { TextForm } from "./TextForm.js";

export function Chat() {
  const send = useMutation(api.messages.send);
  return (
    <section className="chat" aria-label="Messages">
      <Messages />
      <TextForm
        label="Message"
        maxLength={500}
        onSend={(text) => send({ text })}
        limit={api.messages}
        button="Send"
        hint={(remaining) => `${remaining} more at once`}
        denied="You write faster than others read."
      />
    </section>
  );
}

function Messages() {
  const messages = useQuery(api.messages.list);
  const end = useRef<HTMLLIElement>(null);
  const newest = messages?.at(-1)?.id;
  useEffect(() => {
    void end.current?.scrollIntoView({ block: "end" });
  }, [newest]);

  if (messages === undefined) return <p className="muted room">Loading …</p>;
  if (messages.length === 0) {
    return <p className="muted room">Nobody has said anything. Begin.</p>;
  }
  return (
    <ol className="room" aria-live="polite" tabIndex={0}>
      {messages.map(({ id, name, text, sentAt, isMine }) => (
        <li key={id} className={isMine ? "mine" : undefined}>
          <p className="by">
            <strong>{isMine ? "You" : name}</strong>{" "}
            <time dateTime={new Date(sentAt).toISOString()}>
              {new Date(sentAt).toLocaleTimeString([], { timeStyle: "short" })}
            </time>
          </p>
          <p className="text">{text}</p>
        </li>
      ))}
      <li ref={end} aria-hidden="true" />
    </ol>
  );
}
