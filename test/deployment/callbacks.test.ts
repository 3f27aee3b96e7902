import { expect, test } from "vitest";
import { api } from "../app/convex/_generated/api.js";
import { newVisitor } from "./visitor.js";

test("the app's callbacks record a denial and the warning before it", async () => {
  const { visitor: sender, http } = newVisitor();
  const send = () => http.mutation(api.messages.trySend, { sender });
  const sent = [await send(), await send(), await send(), await send()];
  expect(sent).toEqual([true, true, true, false]);
  const name = `sendMessage/${sender}`;
  const told = (name: string) => http.query(api.denials.count, { name });
  expect(await told(name)).toBe(1);
  expect(await told(`${name} at 0.6`)).toBe(1);
});
