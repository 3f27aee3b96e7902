import type { TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Text } from "./Name.js";
import type { HandedToken } from "./route.js";
import { askServer, type Failure } from "./server.js";
import { failureOf } from "./session.js";

const REFUSALS: Record<number, string> = {
  401: "That is not right. Check that it is the secret of this deployment.",
  403: "The app does not let you in.",
  429: "That is not right, and there were too many wrong attempts. What is right always passes.",
  503: "The dashboard of this deployment is not set up: its secret is missing or too short.",
};

export function SignIn({
  asksForSecret,
  refusal,
  handed,
  onSignIn,
  onFailed,
}: {
  asksForSecret: boolean;
  /** The status with which the server ended the session. */
  refusal: number | undefined;
  /** A token that a link handed over: it is tried at once. */
  handed: HandedToken | undefined;
  onSignIn: (token: string) => void;
  onFailed: () => void;
}) {
  const [token, setToken] = useState("");
  const [isAsking, setIsAsking] = useState(false);
  const [failure, setFailure] = useState<Failure | undefined>(
    refusal === undefined ? undefined : { kind: "refused", status: refusal },
  );

  /** The token that was tried last. The answer to an earlier one counts no more. */
  const latest = useRef({});

  const tryToken = async (typed: string) => {
    const attempt = (latest.current = {});
    setIsAsking(true);
    setFailure(undefined);
    try {
      await askServer<"limits">(typed, { ask: "limits" });
      if (attempt === latest.current) onSignIn(typed);
    } catch (error) {
      if (attempt !== latest.current) return;
      setFailure(failureOf(error));
      setIsAsking(false);
      onFailed();
    }
  };
  useEffect(() => {
    if (handed === undefined) return;
    setToken(handed.token);
    void tryToken(handed.token);
  }, [handed]);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isAsking && token.trim() !== "") void tryToken(token.trim());
  };

  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <h1>Rate limits</h1>
        <p class="muted">{location.host}</p>
        <label for="token">{document.body.dataset.label}</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          autofocus
          required
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
          aria-describedby="token-hint"
          aria-invalid={failure?.kind === "refused"}
        />
        <p id="token-hint" class="muted small">
          {asksForSecret
            ? "The value that convex/http.ts gives to registerDashboard. It is kept for this tab only."
            : "What the app’s own check wants to see. It is kept for this tab only."}
        </p>
        <p class="error" role="alert">
          {failure !== undefined && <Text of={sayFailure(failure)} />}
        </p>
        <button class="primary" type="submit" aria-disabled={isAsking}>
          {isAsking ? "Signing in…" : "Sign in"}
        </button>
      </form>
    </main>
  );
}

function sayFailure(failure: Failure): string {
  switch (failure.kind) {
    case "offline":
      return "The server cannot be reached. Try again.";
    case "refused":
      return REFUSALS[failure.status] ?? "The server refused.";
    case "failed":
      return failure.isMistake
        ? failure.message
        : `${failure.message} Try again.`;
  }
}
