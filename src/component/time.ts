// Also in `lib`: `@convex-dev/rate-limiter` has both, and apps may call either.
export { getServerTime } from "../verbs/getServerTime.js";
