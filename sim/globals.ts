import type { Mounts } from "./components.js";
import type { Random } from "./random.js";

type Globals = typeof globalThis & { Convex?: object };

let globalsInUse = false;

/**
 * Runs `body` with the clock stopped at `now`, as Convex does within a function, with seeded
 * randomness, and with the one system call that is not made through a ctx. `body` waits only for
 * microtasks, so nothing else in this process sees the replaced globals.
 */
export async function withGlobals<T>(
  mounts: Mounts,
  now: number,
  random: Random,
  body: () => Promise<T>,
): Promise<T> {
  if (globalsInUse) throw new Error("two deployments cannot run at once");
  globalsInUse = true;
  const globals: Globals = globalThis;
  const saved = { now: Date.now, random: Math.random, Convex: globals.Convex };
  Date.now = () => now;
  Math.random = random;
  globals.Convex = {
    asyncSyscall: async (operation: string, json: string) => {
      if (operation !== "1.0/createFunctionHandle") {
        throw new Error(`${operation} is not simulated`);
      }
      const { name } = JSON.parse(json) as { name: string };
      return JSON.stringify(mounts.handle(name));
    },
  };
  try {
    return await body();
  } finally {
    Date.now = saved.now;
    Math.random = saved.random;
    globals.Convex = saved.Convex;
    globalsInUse = false;
  }
}
