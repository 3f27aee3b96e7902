import type { FunctionReturnType } from "convex/server";
import type { api } from "../../convex/_generated/api.js";

export type List = FunctionReturnType<typeof api.answers.list>;
export type Answer = List["answers"][number];

/** Whether its hold can still be settled. */
export function isOutstanding(
  { used, expiresAt }: Pick<Answer, "used" | "expiresAt">,
  now: number,
): boolean {
  return used === undefined && now < expiresAt;
}
