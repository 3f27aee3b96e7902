import type { CSSProperties, ReactNode } from "react";

type Props = {
  title: string;
  state: string;
  tone?: "good" | "bad";
  /** How full it is, from 0 to 1. */
  share?: number;
  children?: ReactNode;
  actions?: ReactNode;
};

/** A place, and what is in it. */
export function Tile(props: Props) {
  const { title, state, tone, share = 0, children, actions } = props;
  return (
    <li className="tile" data-state={state}>
      <header>
        <strong>{title}</strong>
        <span className="pill" data-tone={tone}>
          {state}
        </span>
      </header>
      <footer>
        <p className="small">{children}</p>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </footer>
      <div
        className="fill"
        data-tone={tone}
        style={{ "--share": share } as CSSProperties}
      />
    </li>
  );
}
