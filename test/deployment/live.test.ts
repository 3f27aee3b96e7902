import { expect, onTestFinished, test } from "vitest";
import { api } from "../app/convex/_generated/api.js";
import { follow } from "../support/liveQuery.js";
import { newLiveClient, newVisitor } from "./visitor.js";

test("two clients follow a balance, whoever takes", async () => {
  const { visitor: sender, http } = newVisitor();
  const [one, two] = [newLiveClient(), newLiveClient()];
  const followed = [one, two].map((client) =>
    follow(client, api.messages.getRateLimit, { key: sender }),
  );
  const bothSee = async (value: number) => {
    for (const { until } of followed) {
      const seen = await until((result) => Math.floor(result.value) === value);
      expect(seen.config).toMatchObject({ capacity: 3 });
    }
  };
  await bothSee(3);
  await one.mutation(api.messages.send, { sender });
  await bothSee(2);
  await http.mutation(api.messages.send, { sender });
  await bothSee(1);
});

const name = "sendMessage";

test("a client sees an operator's override at once", async () => {
  const { visitor: sender, http } = newVisitor();
  onTestFinished(
    async () =>
      void (await http.mutation(api.verbs.clearOverride, {
        name,
        key: sender,
      })),
  );
  const { until } = follow(newLiveClient(), api.messages.getRateLimit, {
    key: sender,
  });
  await until(({ config }) => config.capacity === 3);
  await http.mutation(api.verbs.setOverride, {
    name,
    override: { key: sender, config: { capacity: 20 } },
  });
  await until(({ config }) => config.capacity === 20);
  await http.mutation(api.verbs.setOverride, {
    name,
    override: { key: sender, deny: true },
  });
  await until(({ config, value }) => config.capacity === 0 && value === 0);
});
