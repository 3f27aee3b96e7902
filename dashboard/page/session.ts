import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Answer } from "../../src/dashboard/answer.js";
import type { Ask, Asked } from "../../src/dashboard/asked.js";
import { askServer, Failed, serverNow, type Failure } from "./server.js";

/** Whether and when the page has last been told anything, and who asks, if the app knows a name. */
export type Contact = {
  readAt?: number;
  operator?: string | undefined;
  isOffline: boolean;
};

/** What every view needs of whoever is signed in. */
export const Session = createContext<{
  token: string;
  /** Called when the server no longer takes the token. */
  onRefused: (status: number) => void;
  onContact: (contact: Contact) => void;
}>({ token: "", onRefused: () => {}, onContact: () => {} });

/** How often what is seen is read again. */
const EVERY_MS = 5_000;

/** What the server has answered to a question, and how it stands with it. */
export type Reading<T> = {
  answer: T | undefined;
  /** Why the last question has no answer; `answer` is then an older one. */
  failure: Failure | undefined;
  /** Whether `answer` is to another question, while this one is asked. */
  isStale: boolean;
  /** Asks again, now. */
  reread: () => void;
};

/**
 * Asks at once, and again every few seconds while the page is seen. Keeps the last answer
 * while a question about the same limit is under way.
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
      // What an action has changed is not in an answer that was asked for before.
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
        const { now: readAt, operator } = answer;
        onContact({ readAt, operator, isOffline: false });
      } catch (error) {
        if (isOver) return;
        const failure = failureOf(error);
        if (failure.kind === "refused") return onRefused(failure.status);
        setTold((told) => ({ ...told, failure }));
        onContact({ isOffline: failure.kind === "offline" });
      } finally {
        isReading = false;
        if (!isOver) timer = window.setTimeout(onSeen, isDue ? 0 : EVERY_MS);
      }
    };
    const onSeen = () => void read();
    again.current = onSeen;
    document.addEventListener("visibilitychange", onSeen);
    window.addEventListener("online", onSeen);
    void read();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
      document.removeEventListener("visibilitychange", onSeen);
      window.removeEventListener("online", onSeen);
    };
  }, [body, token]);

  const isStale = told.body !== body;
  // What was read before is seen while another page is read, but not in its place.
  const isLeft =
    isStale && (told.failure !== undefined || !isAlike(told.body, asked));
  return {
    answer: isLeft ? undefined : told.answer,
    failure: told.failure,
    isStale,
    reread: () => again.current(),
  };
}

/** Whether two questions are about the same, but for the page or the span. */
function isAlike(body: string | undefined, asked: Asked): boolean {
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

/** The server's time, anew every so many ms while the page is seen. */
export function useServerNow(everyMs: number): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    setNow(serverNow());
    const timer = window.setInterval(() => setNow(serverNow()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now;
}
