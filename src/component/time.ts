// Also in `lib`: `@convex-dev/rate-limiter` has both, and apps may call either.
export { getServerTime } from "../functions/time.js";
