import { useMutation } from "convex/react";
import { api } from "../../convex/_generated/api.js";
import { DEMO_SECRET } from "../../convex/demoSecret.js";
import { done, useCalls } from "../calls.js";
import { Copyable } from "../CopyButton.js";
import { serverUrl } from "../server.js";
import { session } from "../session.js";
import { Trial } from "../Trial.js";

const ADDRESS = `${serverUrl}/rate-limits/`;

/** A link to the dashboard that this server serves, and the secret to get in. */
export function Dashboard() {
  const simulate = useMutation(api.messages.simulateUsers);
  const calls = useCalls();
  const letUsersSend = () =>
    calls.run(async () => {
      const { granted, denied } = await simulate({ session });
      return done(`${granted} messages sent, ${denied} denied.`);
    });
  return (
    <Trial
      calls={calls}
      hint="Let four users send, then see who was denied."
      actions={[["Let four users send", letUsersSend]]}
      choices={
        <a className="button" href={ADDRESS} target="_blank" rel="noreferrer">
          Open the dashboard
        </a>
      }
    >
      <div className="actions">
        Sign in with
        <Copyable text={DEMO_SECRET} label="Copy the secret" />
      </div>
    </Trial>
  );
}
