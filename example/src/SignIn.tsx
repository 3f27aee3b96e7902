import { useAuthActions } from "@convex-dev/auth/react";
import { type FormEvent, useState } from "react";
import { wordsOf } from "./words.js";

export function SignIn() {
  const { signIn } = useAuthActions();
  const [isNew, setNew] = useState(true);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    form.set("flow", isNew ? "signUp" : "signIn");
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn("password", form);
    } catch (error) {
      setProblem(wordsOf(error));
      setBusy(false);
    }
  };

  return (
    <main className="card centred">
      <h1>Lobby</h1>
      <p className="muted small">
        {isNew
          ? "A small chat. Choose a name and a password."
          : "Good to see you again."}
      </p>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          Name
          <input
            name="name"
            autoComplete="username"
            autoCapitalize="none"
            required
            autoFocus
          />
        </label>
        <label>
          Password
          <input
            name="password"
            type="password"
            autoComplete={isNew ? "new-password" : "current-password"}
            required
          />
        </label>
        <p role="alert" className="error">
          {problem}
        </p>
        <button className="primary" disabled={isBusy}>
          {isBusy ? "One moment …" : isNew ? "Create account" : "Sign in"}
        </button>
      </form>
      <button
        className="quiet"
        onClick={() => {
          setNew(!isNew);
          setProblem(undefined);
        }}
      >
        {isNew ? "I have an account" : "I am new here"}
      </button>
    </main>
  );
}
