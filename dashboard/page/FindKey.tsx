import { useState } from "preact/hooks";
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
      <div class="search">
        <label for="find">Find a key in all limits</label>
        <input
          id="find"
          type="search"
          placeholder="The whole key, as calls give it"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={1024}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <button type="submit" aria-disabled={typed === ""}>
        Find
      </button>
    </form>
  );
}
