import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "preact/hooks";
import { Denials } from "./Denials.js";
import { Find } from "./Find.js";
import { Keys } from "./Keys.js";
import { Limits } from "./Limits.js";
import { Text } from "./Name.js";
import { OneKey } from "./OneKey.js";
import { Overrides } from "./Overrides.js";
import {
  allKeysOf,
  takeHandedToken,
  toHash,
  toRoute,
  type HandedToken,
  type Route,
} from "./route.js";
import { Names, Session, type Contact } from "./session.js";
import { SignIn } from "./SignIn.js";
import { plain } from "./unseen.js";
import { formatTimeOfDay } from "./words.js";

/** The token is kept for this tab only. An origin may have several dashboards. */
const STORAGE_KEY = `rate-limits-token ${location.pathname.replace(/\/+$/, "")}`;

/**
 * With `authorize` the app may know the operator anyway, so the page tries without a token first.
 */
const asksForSecret = document.body.dataset.way === "secret";

type SignedIn = { token: string };

function firstSession(): SignedIn | undefined {
  const token = kept() ?? (asksForSecret ? undefined : "");
  return token === undefined ? undefined : { token };
}

/** The token that this tab has kept. A browser may forbid storage: then a reload signs out. */
function kept(): string | null {
  try {
    return sessionStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function keep(token: string | undefined): void {
  try {
    if (token === undefined) sessionStorage.removeItem(STORAGE_KEY);
    else sessionStorage.setItem(STORAGE_KEY, token);
  } catch {
    // The session lasts until the page is left.
  }
}

export function App() {
  const [handed, setHanded] = useState(takeHandedToken);
  const [signedIn, setSignedIn] = useState(firstSession);
  const token = signedIn?.token;
  const latest = useRef(signedIn);
  latest.current = signedIn;
  const [refusal, setRefusal] = useState<number>();
  const [contact, setContact] = useState<Contact>({ isOffline: false });
  const { route, from } = useRoute(setHanded);

  const signIn = (accepted: string) => {
    keep(accepted);
    setHanded(undefined);
    setRefusal(undefined);
    setContact({ isOffline: false });
    setSignedIn({ token: accepted });
  };
  const signOut = useCallback((status?: number) => {
    keep(undefined);
    setSignedIn(undefined);
    setRefusal(status);
  }, []);
  const onContact = useCallback(
    (latest: Contact) => setContact((before) => ({ ...before, ...latest })),
    [],
  );
  const session = useMemo(
    () => ({
      token: token ?? "",
      onRefused: (status: number) => {
        // An answer to an earlier session says nothing about this one.
        if (latest.current !== signedIn) return;
        // Without a token there was nothing to refuse.
        signOut(token === "" ? undefined : status);
      },
      onContact,
    }),
    [signedIn],
  );

  const names = useMemo(() => new Map(contact.names), [contact.names]);

  const isSigningIn = token === undefined || handed !== undefined;
  useEffect(() => {
    document.title = isSigningIn
      ? "Sign in · Rate limits"
      : `${titleOf(route)} · Rate limits`;
  }, [isSigningIn, route]);

  if (isSigningIn) {
    return (
      <SignIn
        asksForSecret={asksForSecret}
        refusal={refusal}
        handed={handed}
        onSignIn={signIn}
        // A link with a bad token must not end a session.
        onFailed={() => token && setHanded(undefined)}
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
        {contact.operator !== undefined && (
          // A link may have signed in another operator.
          <span class="operator">
            <Text of={contact.operator} isWhole={false} />
          </span>
        )}
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
            `: what you see was read at ${formatTimeOfDay(contact.readAt)}`}
          . The page tries again every few seconds.
        </p>
      )}
      <main>
        <Names.Provider value={names}>
          <View key={viewKeyOf(route)} route={route} from={from} />
        </Names.Provider>
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
          : `Read at ${formatTimeOfDay(readAt)}`}
    </span>
  );
}

function View({ route, from }: { route: Route; from: string }) {
  switch (route.view) {
    case "limits":
      return <Limits />;
    case "find":
      return <Find name={route.key} />;
    case "keys":
      return <Keys route={route} />;
    case "overrides":
      return <Overrides route={route} />;
    case "denials":
      return <Denials route={route} />;
    case "key":
      return <OneKey limit={route.limit} name={route.key} from={from} />;
  }
}

/** The key of a view: the same for every search, page and span of time in it. */
function viewKeyOf(route: Route): string {
  switch (route.view) {
    case "keys":
      return toHash(allKeysOf(route.limit));
    case "overrides":
      return toHash({ ...route, cursors: [] });
    case "denials":
      return toHash({ ...route, span: "hour" });
    default:
      return toHash(route);
  }
}

function titleOf(route: Route): string {
  if (route.view === "limits") return "Limits";
  if (route.view === "find") return `“${plain(route.key)}” in all limits`;
  const limit = route.limit === "" ? "(empty name)" : plain(route.limit);
  if (route.view !== "key") return limit;
  const { key } = route;
  if (key === undefined) return `All callers · ${limit}`;
  return `${key === "" ? "Empty key" : `“${plain(key)}”`} · ${limit}`;
}

/**
 * The route of the address. For a key, `from` is the view of the limit from which it was opened.
 *
 * @param onHanded Called with a token that a link hands over while the page is open.
 */
function useRoute(onHanded: (handed: HandedToken) => void): {
  route: Route;
  from: string;
} {
  const [hash, setHash] = useState(location.hash);
  const left = useRef<Route>({ view: "limits" });
  useEffect(() => {
    const onChange = () => {
      const handed = takeHandedToken();
      if (handed !== undefined) onHanded(handed);
      setHash(location.hash);
      scrollTo(0, 0);
    };
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return useMemo(() => {
    const route = toRoute(hash);
    if (!("limit" in route)) return { route, from: "#/" };
    if (route.view !== "key") left.current = route;
    const { current } = left;
    const isOfLimit = "limit" in current && current.limit === route.limit;
    return {
      route,
      from: toHash(isOfLimit ? current : allKeysOf(route.limit)),
    };
  }, [hash]);
}
