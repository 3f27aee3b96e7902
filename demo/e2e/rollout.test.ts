import { expect } from "vitest";
import { button, section } from "./playground.js";
import { test } from "./visitor.js";

test("a limit denies those for whom it is enforced, and more of them from the time that was set", async ({
  page,
}) => {
  const rollout = section(page, "A new limit, for a few users first");
  const dots = () =>
    rollout
      .locator(".users span")
      .evaluateAll((users) =>
        users.map((user) => user.dataset["enforced"] === "true"),
      );
  const count = async () => (await dots()).filter(Boolean).length;
  await button(rollout, "Let all comment").click();
  await rollout.getByText("60 comments posted, 0 denied.").waitFor();

  await rollout.getByRole("radio", { name: "50%" }).check({ force: true });
  await button(rollout, "Enforce now").click();
  await expect.poll(count).toBeGreaterThan(10);
  const half = await dots();
  const limited = half.filter(Boolean).length;
  await button(rollout, "Let all comment").click();
  await rollout
    .getByText(
      `${60 - limited} comments posted, ${limited} denied. Over the limit in the dry run: ${60 - limited}.`,
    )
    .waitFor();

  await rollout.getByRole("radio", { name: "100%" }).check({ force: true });
  await button(rollout, "In 5 s").click();
  await rollout.getByText(/^100% in/).waitFor();
  expect(await dots()).toEqual(half);
  await expect.poll(count).toBe(60);
});
