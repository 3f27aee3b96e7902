import { button, chat, section } from "./parts.js";
import { test } from "./visitor.js";

test("a key that an operator bans is denied, longer the next time, until the ban is cleared", async ({
  page,
  expect,
}) => {
  const messages = chat(page);
  const operators = section(page, "Who is limited, and by how much");
  const you = operators.getByRole("row", { name: /^You / });
  await button(messages, "Send").click();
  await you.getByText(/^2(\.\d)? of 3$/).waitFor();
  await button(operators, "Ban You").click();
  await you.getByText("banned").waitFor();
  // The ban has an end, so the page says when it is over: the next one later.
  await messages.getByRole("button", { name: /^Wait [56]\d s$/ }).waitFor();
  await button(operators, "Ban You").click();
  await you.getByText("ban 2").waitFor();
  await messages.getByRole("button", { name: "Wait 10 min" }).waitFor();
  await button(operators, "Clear You").click();
  await you.getByText("ok").waitFor();
  await button(messages, "Send").click();
  await expect.poll(() => messages.getByRole("listitem").count()).toBe(2);
});

test("a key that an operator resets is full, one that is raised has more", async ({
  page,
}) => {
  const operators = section(page, "Who is limited, and by how much");
  const katherine = operators.getByRole("row", { name: /^Katherine / });
  await button(operators, "Let four users send").click();
  await katherine.getByText("limited").waitFor();
  await button(operators, "Raise Katherine").click();
  await katherine.getByText("raised").waitFor();
  await katherine.getByText(/ of 20$/).waitFor();
  await button(operators, "Clear Katherine").click();
  await katherine.getByText(/ of 3$/).waitFor();
  await button(operators, "Reset Katherine").click();
  await operators.getByText("Katherine is full again.").waitFor();
  await katherine.waitFor({ state: "hidden" });
});

test("messages come through at once after a reset", async ({ page }) => {
  const messages = chat(page);
  for (const left of ["2 messages", "1 message", "0 messages"]) {
    await button(messages, "Send").click();
    await messages.getByText(`${left} left`).waitFor();
  }
  await messages.getByRole("button", { name: /^Wait/ }).waitFor();
  await button(page, "Reset You").click();
  await messages.getByText("3 messages left").waitFor();
  await button(messages, "Send").click();
  await messages.getByText("2 messages left").waitFor();
});
