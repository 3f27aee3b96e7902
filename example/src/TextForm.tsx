import { type KeyboardEvent, useId, useState } from "react";
import type { Done } from "../convex/done.js";
import { useSending } from "./useSending.js";

/** A field whose text is sent by its button, or by Enter. It keeps what could not be sent. */
export function TextForm({
  label,
  most,
  onSend,
  isReady,
  button,
  hint,
}: {
  label: string;
  /** The most characters. */
  most: number;
  onSend: (text: string) => Promise<Done>;
  /** Whether the limit has room. */
  isReady: boolean;
  button: string;
  /** What the limit has left, or why it has not. */
  hint: string;
}) {
  const [text, setText] = useState("");
  const { send, problem } = useSending(onSend);
  const hintId = useId();
  const maySend = isReady && text.trim() !== "";

  const submit = async () => {
    if (!maySend) return;
    // Cleared at once: the next text may be begun while this one is on its way, or offline.
    setText("");
    if (!(await send(text))) setText((next) => next || text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    if (event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };

  return (
    <form
      className="text-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <textarea
        aria-label={label}
        aria-describedby={hintId}
        placeholder={label}
        rows={2}
        maxLength={most}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button className="primary" disabled={!maySend}>
        {button}
      </button>
      <p id={hintId} className="muted small">
        {hint}
      </p>
      <p role="alert" className="error">
        {problem}
      </p>
    </form>
  );
}
