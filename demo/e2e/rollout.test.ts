import { answer, button, choose, section } from "./parts.js";
import { test } from "./visitor.js";

test("the limit denies the users for whom it is enforced, as their dots show", async ({
  page,
  expect,
}) => {
  const rollout = section(page, "A new limit, for a few users first");
  const dots = (attribute: string) =>
    rollout
      .locator(".users span")
      .evaluateAll(
        (users, attribute) =>
          users.flatMap((user, i) => (user.matches(attribute) ? [i] : [])),
        attribute,
      );
  const enforced = () => dots("[data-enforced=true]");
  const denied = () => dots("[data-outcome=denied]");
  const comment = async (outcome: string) => {
    await button(rollout, "Let all comment").click();
    await expect.poll(() => answer(rollout).textContent()).toBe(` ${outcome}`);
  };
  await comment("All posted.");
  await comment("All posted. Enforced, 60 would be denied.");

  await choose(rollout, "50%");
  await expect.poll(async () => (await enforced()).length).toBeGreaterThan(10);
  const half = await enforced();
  const rest = 60 - half.length;
  await comment(`${half.length} were denied. The dry run let ${rest} through.`);
  expect(await denied()).toEqual(half);

  await choose(rollout, "100%");
  await expect.poll(async () => (await enforced()).length).toBe(60);
  expect(await denied()).toEqual([]);
  await comment("60 were denied.");
  await button(rollout, "Start over").click();
  await expect.poll(enforced).toEqual([]);
  await comment("All posted.");
});
