import { CopyButton } from "../CopyButton.js";
import { addressOf, README } from "../docs/address.js";
import "./hero.css";

const INSTALL = "npm install convex-rate-limiter";

/** What this is, why one wants it, and how to get it. */
export function Hero() {
  return (
    <div className="hero">
      <div>
        <h1>Rate limiting for Convex apps</h1>
        <p className="hero-lead">
          Name your limits in one file and check them in your mutations. A
          mutation that throws spends no token, and a denial says to the
          millisecond when to retry.
        </p>
      </div>
      <div className="hero-start">
        <p className="install">
          <code>{INSTALL}</code>
          <CopyButton text={INSTALL} label="Copy the install command" />
        </p>
        <p className="hero-links">
          <a className="button" href={addressOf(README)}>
            Read the docs
          </a>
        </p>
      </div>
    </div>
  );
}
