import { isExceedsCapacityError, isRateLimitError } from "convex-rate-limiter";
import { expect, inject, test } from "vitest";
import { api } from "../app/convex/_generated/api.js";
import { newLimit, newVisitor } from "./visitor.js";

/** What a call throws at the client. */
async function thrownBy(called: Promise<unknown>): Promise<Error> {
  const thrown: unknown = await called.catch((error: unknown) => error);
  if (!(thrown instanceof Error)) throw new Error("It threw no error.");
  return thrown;
}

test("a client gets the data of a denial that throws, whether or not the deployment hides errors", async () => {
  const { visitor: sender, http } = newVisitor();
  for (let i = 0; i < 3; i++)
    await http.mutation(api.messages.send, { sender });
  const thrown = await thrownBy(http.mutation(api.messages.send, { sender }));
  if (!isRateLimitError(thrown)) throw thrown;
  const { retryAfter, ...data } = thrown.data;
  expect(data).toEqual({ kind: "RateLimited", name: "sendMessage" });
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(6_000);
});

test("a client gets the data of a request above the capacity, whether or not the deployment hides errors", async () => {
  const { take } = newLimit({ kind: "token bucket", rate: 3, period: 60_000 });
  const thrown = await thrownBy(take({ count: 4 }));
  if (!isExceedsCapacityError(thrown)) throw thrown;
  expect(thrown.data).toMatchObject({ count: 4, max: 3 });
});

const throwPlainly = () => {
  const { http } = newVisitor();
  return thrownBy(http.mutation(api.messages.send, { sender: "../" }));
};

test.runIf(inject("hidesErrors"))(
  "a deployment that hides errors sends nothing of the text of others",
  async () => {
    const { message } = await throwPlainly();
    expect(message).toMatch(/^\[Request ID: \w+\] Server Error$/);
  },
);

test.skipIf(inject("hidesErrors"))(
  "another deployment sends the text of others",
  async () => {
    const { message } = await throwPlainly();
    expect(message).toContain("A sender is 1 to 64 letters");
  },
);
