import { useState } from "preact/hooks";
import { SearchBox } from "./parts.js";
import { toHash } from "./route.js";

/** Asks for a key, to show what it holds of each limit. */
export function FindKey({ initial = "" }: { initial?: string }) {
  const [typed, setTyped] = useState(initial);
  return (
    <form
      class="controls"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed !== "") location.hash = toHash({ view: "find", key: typed });
      }}
    >
      <SearchBox
        id="find"
        label="Find a key in all limits"
        placeholder="The whole key, as calls give it"
        value={typed}
        onType={setTyped}
      />
      <button type="submit" aria-disabled={typed === ""}>
        Find
      </button>
    </form>
  );
}
