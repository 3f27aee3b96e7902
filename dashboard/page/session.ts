import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Answer, KeyNames } from "../../src/dashboard/answer.js";
import type { Ask, Asked } from "../../src/dashboard/asked.js";
import { askServer, Failed, serverNow, type Failure } from "./server.js";

/** The state of the connection, and the operator's name if the app knows one. */
export type Contact = {
  readAt?: number;
  operator?: string | undefined;
  /** The names that the app gives to the keys of the last answer. */
  names?: KeyNames | undefined;
  isOffline: boolean;
};

/** What every view needs to ask the server. */
export const Session = createContext<{
  token: string;
  /** Called when the server no longer accepts the token. */
  onRefused: (status: number) => void;
  onContact: (contact: Contact) => void;
}>({ token: "", onRefused: () => {}, onContact: () => {} });

/** The names that the app gives to keys. */
export const Names = createContext<ReadonlyMap<string, string>>(new Map());

/** How often a visible view is read again. */
const READ_EVERY_MS = 5_000;

/** The last answer to a question, and its state. */
export type Reading<T> = {
  answer: T | undefined;
  /** Why the last attempt failed; `answer` is then from an earlier one. */
  failure: Failure | undefined;
  /** Whether `answer` is still that to an earlier question. */
  isStale: boolean;
  /** Asks again, now. */
  reread: () => void;
};

/**
 * Asks the server at once, and again every few seconds while the page is visible. When the question
 * changes, keeps showing the last answer if that is about the same limit and key.
 */
export function useAnswer<Which extends Ask>(
  asked: Asked<Which>,
): Reading<Answer<Which>> {
  const { token, onRefused, onContact } = useContext(Session);
  const [told, setTold] = useState<{
    body?: string;
    answer?: Answer<Which>;
    failure?: Failure;
  }>({});
  const body = JSON.stringify(asked);
  const again = useRef(() => {});

  useEffect(() => {
    let isOver = false;
    let isReading = false;
    let isDue = false;
    let timer: number | undefined;
    const read = async () => {
      window.clearTimeout(timer);
      // The answer under way may not show what an action has changed meanwhile, so read again.
      if (isReading) return void (isDue = true);
      if (document.visibilityState === "hidden") return;
      isReading = true;
      isDue = false;
      try {
        const answer = await askServer<Which>(
          token,
          JSON.parse(body) as Asked<Which>,
        );
        if (isOver) return;
        setTold({ body, answer });
        const { now: readAt, operator, names } = answer;
        onContact({ readAt, operator, names, isOffline: false });
      } catch (error) {
        if (isOver) return;
        const failure = failureOf(error);
        if (failure.kind === "refused") return onRefused(failure.status);
        setTold((before) => ({ ...before, failure }));
        onContact({ isOffline: failure.kind === "offline" });
      } finally {
        isReading = false;
        if (!isOver)
          timer = window.setTimeout(readNow, isDue ? 0 : READ_EVERY_MS);
      }
    };
    const readNow = () => void read();
    again.current = readNow;
    document.addEventListener("visibilitychange", readNow);
    window.addEventListener("online", readNow);
    void read();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
      document.removeEventListener("visibilitychange", readNow);
      window.removeEventListener("online", readNow);
    };
  }, [body, token]);

  const isStale = told.body !== body;
  // The answer to an earlier question is shown only until that to this one, or a failure, arrives.
  const isObsolete =
    isStale && (told.failure !== undefined || !isAlike(told.body, asked));
  return {
    answer: isObsolete ? undefined : told.answer,
    failure: told.failure,
    isStale,
    reread: () => again.current(),
  };
}

/** Whether two questions differ only in their page or span of time. */
function isAlike(body: string | undefined, asked: object): boolean {
  if (body === undefined) return false;
  const before = JSON.parse(body) as Partial<Asked<"key">>;
  const now = asked as Partial<Asked<"key">>;
  return (["ask", "limit", "key"] as const).every(
    (field) => before[field] === now[field],
  );
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Failed) return error.failure;
  return { kind: "failed", message: String(error), isMistake: false };
}

/** The server's time, updated every `everyMs`. */
export function useServerNow(everyMs: number): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    setNow(serverNow());
    const timer = window.setInterval(() => setNow(serverNow()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now;
}
