import { overhang } from "../../test/browser/looking.js";
import { button, lane, ONE_DAY_S, section, set } from "./parts.js";
import { test } from "./visitor.js";

test("a setting changes the limits and the code as it is typed", async ({
  page,
  expect,
}) => {
  const { card, balance, answer } = lane(page, "Token bucket");
  const said = () => expect.poll(() => answer.textContent());
  await set(page, { Period: ONE_DAY_S, Rate: 12 });
  await expect.poll(() => card.textContent()).toContain("12 tokens trickle in");
  await expect.poll(balance).toBe("12 of 12 tokens");
  await set(page, { Capacity: 4 });
  await expect.poll(balance).toBe("4 of 4 tokens");
  const code = section(page, "Two kinds of limit").locator("code");
  expect(await code.textContent()).toContain("capacity: 4,");
  await button(page, "Take 4").click();
  await said().toBe("Granted 4 tokens.");
  await button(page, "Start over").first().click();
  await said().toBe(" Full again.");
  await set(page, { Capacity: 0.5 });
  await button(page, "Take 1").click();
  await said().toBe("Error Never granted: 0.5 is the most.");
  await set(page, { Capacity: 6 });
  // The error of the previous settings is gone.
  await said().toBe(" Take some, three times.");
  await button(page, "Take 5").click();
  await said().toBe("Granted 5 tokens.");
  await expect.poll(balance).toBe("1 of 6 tokens");
  await button(page, "Take 5").click();
  await said().toMatch(/^Denied 5 tokens\.Retry in \d+ h/);
  await button(page, "Start over").first().click();
  await expect.poll(balance).toBe("6 of 6 tokens");
});

test("a bad number marks its field and leaves the previous settings in force", async ({
  page,
  expect,
}) => {
  const { balance, answer } = lane(page, "Token bucket");
  await set(page, { Period: ONE_DAY_S });
  const form = page.getByRole("form", { name: "Settings of both limits" });
  const invalid = () => form.locator("[aria-invalid=true]");
  for (const [field, value, message] of [
    ["Rate", "0", "rate must be a finite number above 0, but is 0."],
    ["Period", "", "The period is not a number."],
    ["Capacity", "-1", "capacity must be a finite number of at least 0"],
  ] as const) {
    const input = form.getByLabel(field, { exact: true });
    const valid = await input.inputValue();
    await input.fill(value);
    await form.getByRole("status").getByText(message).waitFor();
    expect(await invalid().count()).toBe(1);
    expect(await input.getAttribute("aria-invalid")).toBe("true");
    await button(page, "Take 1").click();
    await expect.poll(() => answer.textContent()).toBe("Granted 1 token.");
    await input.fill(valid);
    expect(await invalid().count()).toBe(0);
  }
  await expect.poll(balance).toBe("7 of 10 tokens");
});

test("numbers of any size fit the axes and the page", async ({
  page,
  expect,
}) => {
  const { card } = lane(page, "Token bucket");
  for (const rate of [4e15, 123_456_789, 0.000_012]) {
    await set(page, { Rate: rate, Period: 1e9 });
    const labels = card.locator("[aria-label='y-axis tick label'] text");
    await expect.poll(() => labels.count()).toBeGreaterThan(2);
    const outside = await card.locator(".plot").evaluate((plot) => {
      const { left, right } = plot.getBoundingClientRect();
      return [...plot.querySelectorAll("text")].flatMap((text) => {
        const box = text.getBoundingClientRect();
        const isOutside = box.left < left || box.right > right;
        return isOutside ? [text.textContent] : [];
      });
    });
    expect(outside).toEqual([]);
    expect(await overhang(page)).toBe(0);
  }
});

test("a denied take counts down until it would be granted", async ({
  page,
  expect,
}) => {
  const { answer, countdown, balance } = lane(page, "Token bucket");
  // Long enough for two takes on a slow machine.
  await set(page, { Rate: 5, Period: 12 });
  await expect.poll(balance).toBe("5 of 5 tokens");
  await button(page, "Take 5").click();
  await expect.poll(() => answer.textContent()).toBe("Granted 5 tokens.");
  await button(page, "Take 5").click();
  await expect.poll(() => answer.textContent()).toContain("Denied 5 tokens.");
  const left = async () =>
    Number(/in ([\d.]+) s/.exec((await countdown.textContent()) ?? "")?.[1]);
  const first = await left();
  expect(first).toBeLessThanOrEqual(12);
  await expect.poll(left).toBeLessThan(first);
  await expect.poll(() => countdown.textContent()).toBe("now");
  await button(page, "Take 5").click();
  await expect.poll(() => answer.textContent()).toBe("Granted 5 tokens.");
});

test("the chart marks what was granted and what was denied", async ({
  page,
  expect,
}) => {
  await set(page, { Period: ONE_DAY_S });
  for (const said of ["Granted", "Granted", "Denied"]) {
    await button(page, "Take 5").click();
    const { answer } = lane(page, "Fixed window");
    await expect.poll(() => answer.textContent()).toContain(said);
  }
  const titles = lane(page, "Fixed window").card.locator(".time-chart title");
  await expect
    .poll(() => titles.allTextContents())
    .toEqual(["Granted 5 tokens", "Granted 5 tokens", "Denied 5 tokens"]);
});
