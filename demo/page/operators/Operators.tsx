import { useMutation, useQuery } from "convex/react";
import { useState } from "react";
import { api } from "../../convex/_generated/api.js";
import { explain } from "../explain.js";
import { formatDuration, plural } from "../format.js";
import { Said } from "../Said.js";
import { Segmented } from "../Segmented.js";
import { session } from "../session.js";
import { useCalls } from "../useCalls.js";
import { useLatest } from "../useLatest.js";
import { KeyTable } from "./KeyTable.js";
import { keysOf, type Action, type OperatedKey } from "./operatedKey.js";
import "./operators.css";

type Order = "key" | "depleted";

const ORDERS: { value: Order; label: string }[] = [
  { value: "depleted", label: "Most depleted" },
  { value: "key", label: "By key" },
];
const PAGE = 100;

/** The keys of a limit, and what can be done for or against them. */
export function Operators() {
  const [order, setOrder] = useState<Order>("depleted");
  const { answer, pending, run } = useCalls<string>(explain);
  const list = useLatest(
    useQuery(api.operators.list, {
      name: "sendMessage",
      order,
      paginationOpts: { numItems: PAGE, cursor: null },
    }),
  );
  const overrides = useLatest(
    useQuery(api.operators.listOverrides, { name: "sendMessage" }),
  );
  const denials = useQuery(api.denials.totals, {});
  const simulate = useMutation(api.operators.simulateUsers);
  const reset = useMutation(api.operators.reset);
  const penalize = useMutation(api.operators.penalize);
  const raise = useMutation(api.operators.raise);
  const clear = useMutation(api.operators.clear);

  const act = (action: Action, { key, title }: OperatedKey) =>
    run(async () => {
      const is = title === "You" ? "You are" : `${title} is`;
      const has = title === "You" ? "You have" : `${title} has`;
      switch (action) {
        case "reset":
          await reset({ key });
          return `${is} full again.`;
        case "ban": {
          const { retryAfter } = await penalize({ key });
          return `${is} banned for ${formatDuration(retryAfter)}.`;
        }
        case "raise":
          await raise({ key });
          return `${title} may send 100 a minute, 20 at once.`;
        case "clear":
          await clear({ key });
          return `${has} the same limit as everyone again.`;
      }
    });
  const letUsersSend = () =>
    run(async () => {
      await simulate({ session });
      return "Four users have sent messages.";
    });

  return (
    <div className="card operators">
      <div className="take-row">
        <button
          type="button"
          className="primary"
          onClick={() => void letUsersSend()}
        >
          Let four users send
        </button>
        <Segmented
          label="Order"
          options={ORDERS}
          value={order}
          onChange={setOrder}
        />
        <Said pending={pending}>{answer}</Said>
      </div>
      <KeyTable
        keys={
          list === undefined || overrides === undefined
            ? undefined
            : keysOf(session, list, overrides)
        }
        isComplete={list?.isDone ?? true}
        onAct={(action, operated) => void act(action, operated)}
      />
      <p className="muted small">
        {denials === undefined
          ? "Loading"
          : `onDenied has counted ${plural(denials["sendMessage"] ?? 0, "denial")} of this limit, of all visitors together.`}
      </p>
    </div>
  );
}
