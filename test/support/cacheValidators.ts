import { modules } from "convex-rate-limiter/test";

type Registered = Record<
  "exportArgs" | "exportReturns",
  (() => string) | undefined
>;

// convex-test exports the validators of a function at each call. Here that happens once.
for (const load of Object.values(modules)) {
  for (const it of Object.values(
    (await load()) as Record<string, Registered>,
  )) {
    for (const name of ["exportArgs", "exportReturns"] as const) {
      const write = it?.[name];
      if (write === undefined) continue;
      let written: string | undefined;
      it[name] = () => (written ??= write());
    }
  }
}
