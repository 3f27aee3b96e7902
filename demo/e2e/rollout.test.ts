import { answer, button, choose, section } from "./parts.js";
import { test } from "./visitor.js";

test("what is selected is what is in force", async ({ page, expect }) => {
  const rollout = section(page, "A new limit, for a few users first");
  const selected = () =>
    expect.poll(() =>
      rollout.locator(".actions label:has(:checked)").textContent(),
    );
  const dots = () =>
    rollout
      .locator(".users span")
      .evaluateAll((users) =>
        users.map((user) => user.dataset["enforced"] === "true"),
      );
  const count = async () => (await dots()).filter(Boolean).length;
  const said = () => expect.poll(() => answer(rollout).textContent());
  await selected().toBe("0%");
  await button(rollout, "Let all comment").click();
  await said().toContain("60 posted, 0 denied, 0 would be.");

  await choose(rollout, "50%");
  await selected().toBe("50%");
  await expect.poll(count).toBeGreaterThan(10);
  const limited = await count();
  await button(rollout, "Let all comment").click();
  await said().toContain(
    `${60 - limited} posted, ${limited} denied, ${60 - limited} would be.`,
  );
  await choose(rollout, "100%");
  await expect.poll(count).toBe(60);
  await button(rollout, "Start over").click();
  await selected().toBe("0%");
  await expect.poll(count).toBe(0);
});
