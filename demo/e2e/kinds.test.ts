import { button, lane, ONE_DAY_S, section, set } from "./parts.js";
import { test } from "./visitor.js";

test("each setting acts as it is typed, on the limits and on the code", async ({
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
  await button(page, "Take 5").click();
  await said().toBe("Error Never granted: 4 is the most.");
  await set(page, { Capacity: 6 });
  await button(page, "Take 5").click();
  await said().toBe("Granted 5 tokens.");
  await expect.poll(balance).toBe("1 of 6 tokens");
  await button(page, "Take 5").click();
  await said().toMatch(/^Denied 5 tokens\.Retry in \d+ h/);
  await button(page, "Start over").first().click();
  await expect.poll(balance).toBe("6 of 6 tokens");
});

test("what is no number is said to be wrong, and the settings before it stay in force", async ({
  page,
  expect,
}) => {
  const { balance, answer } = lane(page, "Token bucket");
  await set(page, { Period: ONE_DAY_S });
  const form = page.getByRole("form", { name: "Settings of both limits" });
  for (const [field, value, message] of [
    ["Rate", "0", "rate must be a finite number above 0, but is 0."],
    ["Period", "", "period must be a finite number above 0"],
    ["Capacity", "-1", "capacity must be a finite number of at least 0"],
  ] as const) {
    const input = form.getByLabel(field, { exact: true });
    const valid = await input.inputValue();
    await input.fill(value);
    await form.getByRole("status").getByText(message).waitFor();
    expect(await input.getAttribute("aria-invalid")).toBe("true");
    await button(page, "Take 1").click();
    await expect.poll(() => answer.textContent()).toBe("Granted 1 token.");
    await input.fill(valid);
    expect(await input.getAttribute("aria-invalid")).toBe("false");
  }
  await expect.poll(balance).toBe("7 of 10 tokens");
});

test("a denied take counts down, and is granted when the count ends", async ({
  page,
  expect,
}) => {
  const { answer, countdown, balance } = lane(page, "Token bucket");
  await set(page, { Rate: 5, Period: 4 });
  await expect.poll(balance).toBe("5 of 5 tokens");
  await button(page, "Take 5").click();
  await expect.poll(() => answer.textContent()).toBe("Granted 5 tokens.");
  await button(page, "Take 5").click();
  await expect.poll(() => answer.textContent()).toContain("Denied 5 tokens.");
  const left = async () =>
    Number(/in ([\d.]+) s/.exec((await countdown.textContent()) ?? "")?.[1]);
  const first = await left();
  expect(first).toBeLessThanOrEqual(4);
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
