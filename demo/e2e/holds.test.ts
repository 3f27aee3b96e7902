import { answer, balance, button, section } from "./parts.js";
import { test } from "./visitor.js";

const TITLE = "Hold the most, pay the cost";

test("an answer gives back what it held and did not use, unless it crashes", async ({
  page,
  expect,
}) => {
  const holds = section(page, TITLE);
  const place = (number: number) => holds.getByRole("listitem").nth(number - 1);
  const left = () => expect.poll(() => balance(holds));
  await button(holds, "Ask and crash").click();
  await left().toBe("700 of 1,000 tokens left today, 300 held");
  await button(holds, "Ask").click();
  await left().toBe("400 of 1,000 tokens left today, 600 held");
  await button(holds, "Stop Place 2").click();
  const cost = place(2).getByText(/^Cost \d+: \d+ came back\.$/);
  const [used, back] = (await cost.textContent())!.match(/\d+/g)!.map(Number);
  expect(used! + back!).toBe(300);
  await place(1).getByText("Crashed: all 300 stay taken.").waitFor();
  await left().toBe(`${700 - used!} of 1,000 tokens left today`);
});

test("the places fill the height of the code beside them, which is shown in full", async ({
  page,
  expect,
}) => {
  const holds = section(page, TITLE);
  const [places, code] = await Promise.all(
    [".tiles", "pre"].map(async (part) => {
      const place = holds.locator(part);
      const { y, height } = (await place.boundingBox())!;
      const hidden = await place.evaluate(
        ({ scrollHeight, clientHeight }) => scrollHeight - clientHeight,
      );
      return { bottom: y + height, hidden };
    }),
  );
  expect(code).toMatchObject({ hidden: 0 });
  expect(code!.bottom - places!.bottom).toBeLessThan(40);
});

test("a fourth answer at once is denied a place, and a crash keeps its tokens", async ({
  page,
  expect,
}) => {
  const holds = section(page, TITLE);
  const said = () => expect.poll(() => answer(holds).textContent());
  for (let i = 0; i < 4; i++) await button(holds, "Ask and crash").click();
  await said().toMatch(/^Denied No place is free\.Next in /);
  const free = holds.locator(".pill").getByText("free");
  await expect.poll(() => free.count()).toBe(3);
  await button(holds, "Ask").click();
  await said().toMatch(/^Denied Too few tokens\. More in /);
  await button(holds, "Start over").click();
  await expect
    .poll(() => balance(holds))
    .toBe("1,000 of 1,000 tokens left today");
});
