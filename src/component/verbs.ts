/* What apps call more seldom than `lib`. */

export { charge, credit } from "../functions/amounts.js";
export {
  attach,
  holdAll,
  releaseScheduled,
  renew,
  settleAll,
} from "../functions/holds.js";
export { checkAll, limitAll } from "../functions/lists.js";
export {
  clearOverride,
  penalize,
  setOverride,
} from "../functions/overrides.js";

// A mutation runs it as a look. It loads the same code as the verbs do.
export { answers } from "../functions/answers.js";
