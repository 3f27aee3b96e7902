import { Component, type ReactNode } from "react";
import type { SectionEntry } from "./sections.js";
import { snippetsOf } from "./snippets.js";
import { WithCode } from "./WithCode.js";

type Props = Pick<SectionEntry, "id" | "title" | "lead"> & {
  children: ReactNode;
};

/** A part of the page. If it fails, the others keep working. */
export function Section({ id, title, lead, children }: Props) {
  return (
    <section className="section" id={id} aria-labelledby={`${id}-title`}>
      <div className="section-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <p>{lead}</p>
      </div>
      <Boundary>
        <WithCode files={snippetsOf(id)}>{children}</WithCode>
      </Boundary>
    </section>
  );
}

class Boundary extends Component<
  { children: ReactNode },
  { error: Error | undefined }
> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="card failed" role="alert">
        <p>This part does not work at the moment.</p>
        <p className="muted">{error.message}</p>
        <button
          type="button"
          onClick={() => this.setState({ error: undefined })}
        >
          Try again
        </button>
      </div>
    );
  }
}
