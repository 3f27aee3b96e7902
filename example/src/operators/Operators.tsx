import { useMutation, useQuery } from "convex/react";
import { useState } from "react";
import { api } from "../../convex/_generated/api.js";
import { Segmented } from "../Segmented.js";
import { useLatest } from "../useLatest.js";
import { KeyTable } from "./KeyTable.js";
import { mergeOverrides, type Action } from "./operatedKey.js";

type Order = "key" | "depleted";

const ORDERS: { value: Order; label: string }[] = [
  { value: "depleted", label: "Most depleted" },
  { value: "key", label: "By key" },
];
const PAGE = 25;
const BAN_MINUTES = 10;

/** The keys of a limit, and what can be done for or against them. */
export function Operators() {
  const [order, setOrder] = useState<Order>("depleted");
  const [said, setSaid] = useState("");
  const listed = useLatest(
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
  const ban = useMutation(api.operators.ban);
  const raise = useMutation(api.operators.raise);
  const clear = useMutation(api.operators.clear);

  const act = async (action: Action, key: string, title: string) => {
    try {
      switch (action) {
        case "reset":
          await reset({ key });
          return setSaid(`${title} is full again.`);
        case "ban":
          await ban({ key, minutes: BAN_MINUTES });
          return setSaid(`${title} is banned for ${BAN_MINUTES} minutes.`);
        case "raise":
          await raise({ key });
          return setSaid(`${title} may send 100 a minute, 20 at once.`);
        case "clear":
          await clear({ key });
          return setSaid(`${title} has the limit that everybody has.`);
      }
    } catch (error) {
      setSaid(String(error));
    }
  };
  const keys =
    listed === undefined || overrides === undefined
      ? undefined
      : mergeOverrides(listed.page, overrides);

  return (
    <div className="card operators">
      <div className="take-row">
        <button
          type="button"
          className="primary"
          onClick={() => {
            simulate({}).then(
              () => setSaid("Four users have sent messages."),
              (error: unknown) => setSaid(String(error)),
            );
          }}
        >
          Let four users send
        </button>
        <Segmented
          label="Order"
          options={ORDERS}
          value={order}
          onChange={setOrder}
        />
        <p role="status" className="said">
          {said}
        </p>
      </div>
      <KeyTable
        keys={keys}
        isComplete={listed?.isDone ?? true}
        onAct={(...args) => void act(...args)}
      />
      <p className="muted small denials">
        {denials === undefined
          ? "Loading"
          : `Denials of this limit so far: ${denials["sendMessage"] ?? 0}, counted by onDenied.`}
      </p>
    </div>
  );
}
