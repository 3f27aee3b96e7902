import { expect, test } from "vitest";
import { api } from "../../demo/convex/_generated/api.js";
import { follow, newLiveClient, newVisitor } from "./visitor.js";

test("a balance is followed by two clients, whoever takes", async () => {
  const { session, http } = newVisitor();
  const [one, two] = [newLiveClient(), newLiveClient()];
  const followed = [one, two].map((client) =>
    follow(client, api.messages.getRateLimit, { key: session }),
  );
  const bothSee = async (value: number) => {
    for (const { until } of followed) {
      const seen = await until((result) => Math.floor(result.value) === value);
      expect(seen.config).toMatchObject({ capacity: 3 });
    }
  };
  await bothSee(3);
  await one.mutation(api.messages.send, { session, text: "from one" });
  await bothSee(2);
  await http.mutation(api.messages.send, { session, text: "over HTTP" });
  await bothSee(1);
});

test("an operator's override is seen at once", async () => {
  const { session, http } = newVisitor();
  const { until } = follow(newLiveClient(), api.messages.getRateLimit, {
    key: session,
  });
  await until(({ config }) => config.capacity === 3);
  await http.mutation(api.operators.raise, { key: session });
  await until(({ config }) => config.capacity === 20);
  await http.mutation(api.operators.ban, { key: session, minutes: 1 });
  await until(({ config, value }) => config.capacity === 0 && value === 0);
});
