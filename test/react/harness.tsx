import { act, cleanup } from "@testing-library/react";
import { ConvexProvider } from "convex/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { FakeClient } from "./fakeClient.js";

export const NOON = 1_700_000_000_000;

/** What `Provider` connects to. */
export let server: FakeClient;

/** Gives each test of a file a server and fake timers, at `NOON`; none may leave anything behind. */
export function useFakeServer(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOON });
    server = new FakeClient();
  });

  afterEach(() => {
    cleanup();
    expect(vi.getTimerCount()).toBe(0);
    expect(server.queryListeners.size).toBe(0);
    expect(server.connectionListeners.size).toBe(0);
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

export const Provider = ({ children }: { children: ReactNode }) => (
  <ConvexProvider client={server.client}>{children}</ConvexProvider>
);

/** Lets time pass, and React render. */
export const pass = (ms: number) =>
  act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
