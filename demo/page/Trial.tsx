import type { ReactNode } from "react";
import { done, type Calls } from "./calls.js";
import { CallStatus } from "./CallStatus.js";
import { Balance, type BalanceProps } from "./Balance.js";

type ActionsProps = {
  /** The first is shown as the one to begin with. */
  actions: readonly [label: string, act: () => unknown][];
  onStartOver?: () => unknown;
  children?: ReactNode;
};

/** The buttons of a part of the page. */
export function Actions({ actions, onStartOver, children }: ActionsProps) {
  return (
    <div className="actions">
      {actions.map(([label, act], i) => (
        <button
          key={label}
          type="button"
          className={i === 0 ? "first" : undefined}
          onClick={() => void act()}
        >
          {label}
        </button>
      ))}
      {children}
      {onStartOver !== undefined && (
        <button
          type="button"
          className="quiet"
          onClick={() => void onStartOver()}
        >
          Start over
        </button>
      )}
    </div>
  );
}

type Props = Pick<ActionsProps, "actions"> & {
  onStartOver?: () => Promise<unknown>;
  calls: Calls;
  /** What to try first. */
  hint: string;
  /** Beside the actions. */
  choices?: ReactNode;
  balance?: BalanceProps;
  children?: ReactNode;
};

/** Buttons, the last result, and the balance, above what a part shows. */
export function Trial(props: Props) {
  const { actions, onStartOver, calls, hint, choices, balance } = props;
  const startOver =
    onStartOver &&
    (() =>
      calls.run(async () => {
        await onStartOver();
        return done("As at the start.");
      }));
  return (
    <div className="trial">
      <Actions actions={actions} onStartOver={startOver}>
        {choices}
      </Actions>
      <CallStatus {...calls} hint={hint} />
      {balance !== undefined && <Balance {...balance} />}
      {props.children}
    </div>
  );
}
