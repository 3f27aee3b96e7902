import { answer, balance, button, section } from "./parts.js";
import { test } from "./visitor.js";

const TITLE = "Hold the most, pay the cost";

test("what is held comes back when an answer costs less, and stays taken if nobody settles", async ({
  page,
  expect,
}) => {
  const holds = section(page, TITLE);
  const tile = (label: string) =>
    holds.getByRole("listitem").filter({ hasText: label });
  const left = () => expect.poll(() => balance(holds));
  await button(holds, "Ask and crash").click();
  await left().toBe("700 of 1,000 tokens left today, 300 held");
  await button(holds, "Ask").click();
  await left().toBe("400 of 1,000 tokens left today, 600 held");
  await button(holds, "Stop Answer 2").click();
  const cost = tile("Answer 2").getByText(/^Cost \d+\. \d+ came back\.$/);
  const [used, back] = (await cost.textContent())!.match(/\d+/g)!.map(Number);
  expect(used! + back!).toBe(300);
  await tile("Answer 1").getByText("All 300 stay taken.").waitFor();
  await left().toBe(`${700 - used!} of 1,000 tokens left today`);
});

test("an answer is denied when fewer tokens are left than it may cost", async ({
  page,
  expect,
}) => {
  const holds = section(page, TITLE);
  for (let i = 0; i < 3; i++) await button(holds, "Ask and crash").click();
  await button(holds, "Ask").click();
  await expect
    .poll(() => answer(holds).textContent())
    .toMatch(/^Denied Too few left\. More in /);
  await button(holds, "Start over").click();
  await expect
    .poll(() => balance(holds))
    .toBe("1,000 of 1,000 tokens left today");
  expect(await holds.getByText("No answer").count()).toBe(3);
});
