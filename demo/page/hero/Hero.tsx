import { Copyable } from "../CopyButton.js";
import { FIRST_FILES, INSTALL, SITE } from "../docs.js";
import { WithCode } from "../WithCode.js";
import { Chat } from "./Chat.js";
import "./hero.css";

/** What this is and for whom, one thing to do, and the files that do it. */
export function Hero() {
  return (
    <div className="hero">
      <div className="hero-head">
        <h1>Rate limits for your Convex app</h1>
        <p className="hero-lead">
          Stop spam, cap what a language model costs, queue work. Limits live in
          your mutation’s own transaction: if it throws, nothing was spent.
        </p>
        <div className="hero-start">
          <Copyable text={INSTALL} label="Copy the install command" />
          <a href={`${SITE}start`}>Read the docs</a>
        </div>
        <p className="small muted">
          Not on npm yet: run <code>npm pack</code> in this repository first,
          and put your app beside it.
        </p>
      </div>
      <WithCode files={FIRST_FILES}>
        <Chat />
      </WithCode>
    </div>
  );
}
