import { expect, test } from "vitest";
import { api } from "../../demo/convex/_generated/api.js";
import { newVisitor } from "./visitor.js";

test("what is granted and denied is counted, and whom it was denied", async () => {
  const { session, http } = newVisitor();
  const thisHour = () =>
    http.query(api.figures.thisHour, { session, name: "upload" });
  const sum = async (counted: "granted" | "denied") =>
    (await thisHour()).minutes.reduce((n, minute) => n + minute[counted], 0);
  const upload = () =>
    http.mutation(api.organisations.perform, {
      session,
      user: "Ada",
      operation: "upload",
    });
  // Others may use the deployment, too.
  const before = { granted: await sum("granted"), denied: await sum("denied") };
  const ok = [await upload(), await upload(), await upload(), await upload()];
  expect(ok.map((answer) => answer.ok)).toEqual([true, true, false, false]);
  expect(await sum("granted")).toBeGreaterThanOrEqual(before.granted + 2);
  expect(await sum("denied")).toBeGreaterThanOrEqual(before.denied + 2);
  expect((await thisHour()).keys).toContainEqual({ title: "Ada", denied: 2 });
});
