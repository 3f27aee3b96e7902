/* What apps call less often than `lib`. */

export { charge, credit } from "../verbs/creditAndCharge.js";
export {
  attach,
  holdAll,
  releaseScheduled,
  renew,
  settleAll,
} from "../verbs/hold.js";
export { checkAll, limitAll } from "../verbs/limitAll.js";
export { clearOverride, penalize, setOverride } from "../verbs/overrides.js";

// A mutation runs it as a look. It loads the same code as the verbs do.
export { answers } from "../verbs/answers.js";

/** For the reason that `lib.ts` gives. */
export const experimental_reuseContext = true;
