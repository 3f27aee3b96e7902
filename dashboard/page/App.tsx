import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { Denials } from "./Denials.js";
import { Keys } from "./Keys.js";
import { Limits } from "./Limits.js";
import { OneKey } from "./OneKey.js";
import { Overrides } from "./Overrides.js";
import { toHash, toRoute, type Route } from "./route.js";
import { Session, type Contact } from "./session.js";
import { SignIn } from "./SignIn.js";
import { nameOf, timeOfDay } from "./words.js";

/** Kept for this tab only. */
const PLACE = "rate-limits-token";

/** With `authorize` it may be enough to be who one is: that is tried first, without a token. */
const asksForSecret = document.body.dataset.way === "secret";

export function App() {
  const [token, setToken] = useState(
    () => sessionStorage.getItem(PLACE) ?? (asksForSecret ? undefined : ""),
  );
  const [refusal, setRefusal] = useState<number>();
  const [contact, setContact] = useState<Contact>({ isOffline: false });
  const route = useRoute();

  const signIn = (token: string) => {
    sessionStorage.setItem(PLACE, token);
    setRefusal(undefined);
    setContact({ isOffline: false });
    setToken(token);
  };
  const signOut = useCallback((status?: number) => {
    sessionStorage.removeItem(PLACE);
    setToken(undefined);
    setRefusal(status);
  }, []);
  const onContact = useCallback(
    ({ readAt, isOffline }: Contact) =>
      setContact((before) => ({ readAt: readAt ?? before.readAt, isOffline })),
    [],
  );
  const session = useMemo(
    () => ({
      token: token ?? "",
      // Without a token nothing was wrong yet.
      onRefused: (status: number) => signOut(token === "" ? undefined : status),
      onContact,
    }),
    [token],
  );

  useEffect(() => {
    document.title =
      token === undefined
        ? "Sign in · Rate limits"
        : `${titleOf(route)} · Rate limits`;
  }, [token, route]);

  if (token === undefined) {
    return (
      <SignIn
        asksForSecret={asksForSecret}
        refusal={refusal}
        onSignIn={signIn}
      />
    );
  }
  return (
    <Session.Provider value={session}>
      <header class="top">
        <a class="brand" href="#/">
          Rate limits
        </a>
        <span class="host">{location.host}</span>
        <ContactLine {...contact} />
        {token !== "" && (
          <button type="button" class="quiet" onClick={() => signOut()}>
            Sign out
          </button>
        )}
      </header>
      {contact.isOffline && (
        <p class="banner" role="alert">
          The server cannot be reached
          {contact.readAt !== undefined &&
            `: what you see was read at ${timeOfDay(contact.readAt)}`}
          . The page tries again every few seconds.
        </p>
      )}
      <main>
        <View key={identityOf(route)} route={route} />
      </main>
    </Session.Provider>
  );
}

function ContactLine({ readAt, isOffline }: Contact) {
  return (
    <span class="contact" data-offline={isOffline}>
      {isOffline
        ? "Offline"
        : readAt === undefined
          ? "Reading…"
          : `Read at ${timeOfDay(readAt)}`}
    </span>
  );
}

function View({ route }: { route: Route }) {
  switch (route.view) {
    case "limits":
      return <Limits />;
    case "keys":
      return <Keys limit={route.limit} prefix={route.prefix} />;
    case "overrides":
      return <Overrides limit={route.limit} />;
    case "denials":
      return <Denials limit={route.limit} />;
    case "key":
      return <OneKey limit={route.limit} name={route.key} />;
  }
}

/** What is typed into the search is the same view. */
function identityOf(route: Route): string {
  return route.view === "keys"
    ? toHash({ ...route, prefix: "" })
    : toHash(route);
}

function titleOf(route: Route): string {
  switch (route.view) {
    case "limits":
      return "Limits";
    case "key":
      return `${nameOf(route.key)} · ${route.limit}`;
    default:
      return route.limit;
  }
}

function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => {
      setHash(location.hash);
      scrollTo(0, 0);
    };
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return useMemo(() => toRoute(hash), [hash]);
}
