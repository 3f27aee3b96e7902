import { button, chat, section } from "./parts.js";
import { test } from "./visitor.js";

test("a key that is banned in the demo's dashboard has to wait", async ({
  visit,
  expect,
}) => {
  const { context, openTab, problems } = await visit();
  const page = await openTab();
  const part = section(page, "Who is limited, and who is denied");
  await button(part, "Let four users send").click();
  await part.getByText("9 messages sent, 2 denied.").waitFor();
  await button(chat(page), "Send").click();
  await chat(page).getByText("2 messages left").waitFor();

  const opened = context.waitForEvent("page");
  await part.getByRole("link", { name: "Open the dashboard" }).click();
  const dashboard = await opened;
  await dashboard
    .getByLabel("Secret")
    .fill((await part.locator(".copyable code").textContent())!);
  await dashboard.keyboard.press("Enter");
  await dashboard.getByRole("link", { name: "sendMessage" }).click();
  const you = await page.evaluate(() => localStorage.getItem("session"));
  await dashboard.getByRole("link", { name: `${you}/Hedy` }).waitFor();
  await dashboard.getByRole("link", { name: you!, exact: true }).click();
  await button(dashboard, "Ban").click();
  await button(dashboard, "Ban").last().click();
  await dashboard.getByText(/^Done: .* is banned until/).waitFor();
  await chat(page).getByRole("button", { name: "Wait 10 min" }).waitFor();
  expect(problems).toEqual([]);
});
