import { Copyable } from "../CopyButton.js";
import { addressOf } from "../docsAddress.js";
import { WithCode } from "../WithCode.js";
import { Chat } from "./Chat.js";
import { FIVE_LINES } from "./fiveLines.js";
import "./hero.css";

const INSTALL = "npm install convex-rate-limiter";

/** What this is and for whom, one thing to do, and the lines that do it. */
export function Hero() {
  return (
    <div className="hero">
      <div className="hero-head">
        <h1>Rate limits for your Convex app</h1>
        <p className="hero-lead">
          Stop spam, cap what a language model costs, queue work. Limits live in
          your mutation’s own transaction: if it throws, nothing was spent.
        </p>
        <p className="hero-start">
          <Copyable text={INSTALL} label="Copy the install command" />
          <a href={addressOf("README.md")}>Read the docs</a>
        </p>
      </div>
      <WithCode files={[{ name: "All it takes", text: FIVE_LINES }]}>
        <Chat />
      </WithCode>
    </div>
  );
}
