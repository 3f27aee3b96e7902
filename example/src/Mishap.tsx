import { Component, type ReactNode } from "react";

/** Shown in place of a page that could not be drawn. */
export class Mishap extends Component<{ children: ReactNode }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <main className="card centred" role="alert">
        <h1>Something went wrong</h1>
        <p>What you have sent is safe. Load the page again to go on.</p>
        <button className="primary" onClick={() => location.reload()}>
          Load again
        </button>
      </main>
    );
  }
}
