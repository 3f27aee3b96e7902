import { useMutation, useQuery } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { api } from "../convex/_generated/api.js";
import { MAX_TOKENS } from "../convex/model.js";
import { TextForm } from "./TextForm.js";

type Answer = FunctionReturnType<typeof api.answers.list>[number];

export function Model() {
  const ask = useMutation(api.answers.ask);
  const answers = useQuery(api.answers.list);
  return (
    <section className="card">
      <h2>Ask the model</h2>
      <TextForm
        label="Question"
        maxLength={200}
        onSend={(question) => ask({ question })}
        limit={api.answers}
        count={MAX_TOKENS}
        button="Ask"
        hint={(remaining) => `${remaining} tokens left today`}
        denied="Enough for today."
      />
      <ul className="entries" aria-live="polite">
        {answers?.map((answer) => (
          <li key={answer.id}>
            <p>
              <strong>{answer.question}</strong>
            </p>
            <Said state={answer.state} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Said({ state }: { state: Answer["state"] }) {
  switch (state.kind) {
    case "writing":
      return (
        <p className="muted small" aria-busy="true">
          Thinking … {MAX_TOKENS} tokens held
        </p>
      );
    case "written":
      return (
        <>
          <p>{state.text}</p>
          <p className="muted small">{state.tokens} tokens</p>
        </>
      );
    case "failed":
      return (
        <p className="muted small">No answer. It cost nothing: ask again.</p>
      );
  }
}
