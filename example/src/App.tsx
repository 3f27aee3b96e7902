import { useAuthActions } from "@convex-dev/auth/react";
import {
  Authenticated,
  AuthLoading,
  Unauthenticated,
  useQuery,
} from "convex/react";
import { api } from "../convex/_generated/api.js";
import { Chat } from "./Chat.js";
import { Connection } from "./Connection.js";
import { Mail } from "./Mail.js";
import { Model } from "./Model.js";
import { SignIn } from "./SignIn.js";

export function App() {
  return (
    <>
      <Connection />
      <AuthLoading>
        <main className="centred" aria-busy="true">
          <p className="muted small">Loading …</p>
        </main>
      </AuthLoading>
      <Unauthenticated>
        <SignIn />
      </Unauthenticated>
      <Authenticated>
        <Lobby />
      </Authenticated>
    </>
  );
}

function Lobby() {
  const name = useQuery(api.users.me);
  const { signOut } = useAuthActions();
  return (
    <div className="lobby">
      <header>
        <h1>Lobby</h1>
        <span className="muted small">{name}</span>
        <button onClick={() => void signOut()}>Sign out</button>
      </header>
      <main>
        <Chat />
      </main>
      <aside>
        <Model />
        <Mail />
      </aside>
    </div>
  );
}
