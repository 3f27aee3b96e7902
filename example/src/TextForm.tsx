import { useRateLimit, useRetryCountdown } from "convex-rate-limiter/react";
import { type KeyboardEvent, useId, useState } from "react";
import type { api } from "../convex/_generated/api.js";
import type { Done } from "../convex/done.js";
import { useSending } from "./useSending.js";
import { formatWait } from "./words.js";

/**
 * A field whose text is sent by its button, or by Enter. It keeps what could not be sent. The
 * button counts down until the limit has room, without asking the server; the server still decides.
 */
export function TextForm({
  label,
  maxLength,
  onSend,
  limit,
  count = 1,
  button,
  hint,
  denied,
}: {
  label: string;
  /** In characters. */
  maxLength: number;
  onSend: (text: string) => Promise<Done>;
  /** The functions that `hookAPI` made for the limit. */
  limit: Pick<typeof api.messages, "getRateLimit" | "getServerTime">;
  /** How many tokens it takes. */
  count?: number;
  button: string;
  /** Says how much is left. */
  hint: (remaining: number | "…") => string;
  /** Shown while the limit has no room. */
  denied: string;
}) {
  const { status, remaining } = useRateLimit(limit.getRateLimit, {
    getServerTimeMutation: limit.getServerTime,
    count,
  });
  const seconds = useRetryCountdown(status);
  const [text, setText] = useState("");
  const { send, problem } = useSending(onSend);
  const hintId = useId();
  const maySend = status?.ok === true && text.trim() !== "";

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
        maxLength={maxLength}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button className="primary" disabled={!maySend}>
        {seconds > 0 ? `Wait ${formatWait(seconds * 1000)}` : button}
      </button>
      <p id={hintId} className="muted small">
        {seconds > 0 ? denied : hint(remaining ?? "…")}
      </p>
      <p role="alert" className="error">
        {problem}
      </p>
    </form>
  );
}
