// The tests' clock may stand still while transactions commit, and step back. From 0.0.65 on,
// convex-test gives each transaction a Date of its own, which is at least the last commit's time,
// rounded up to a ms. It replaces no global that is not configurable, and so transactions see the
// tests' clock itself.
Object.defineProperty(globalThis, "Date", { configurable: false });
