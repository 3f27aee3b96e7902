import type { Page } from "playwright-core";
import { answer, button, chat, choose, lane, section } from "./parts.js";

/** Uses every part of the page, so that each shows something. */
export async function useEverything(page: Page): Promise<void> {
  for (const left of ["2 messages", "1 message", "0 messages"]) {
    await button(chat(page), "Send").click();
    await chat(page).getByText(`${left} left`).waitFor();
  }
  const holds = section(page, "Hold the most, pay the cost");
  await button(holds, "Ask and crash").click();
  await button(holds, "Ask").click();
  await holds.locator(".pill").getByText("writing").waitFor();
  await button(page, "Reserve 5").click();
  await page.getByText("Invoice 5").waitFor();
  const rollout = section(page, "A new limit, for a few users first");
  await choose(rollout, "50%");
  await rollout.getByText("Enforced for 50% of the users.").waitFor();
  for (let i = 0; i < 2; i++) await button(rollout, "Let all comment").click();
  await rollout.getByText("The dry run let").waitFor();
  const dashboard = section(page, "Who is limited, and who is denied");
  await button(dashboard, "Let four users send").click();
  await dashboard.getByText("9 messages sent, 2 denied.").waitFor();
  // Denied in the end, whatever has arrived meanwhile: there are never twenty.
  for (let i = 0; i < 4; i++) await button(page, "Take 5").click();
  await answer(lane(page, "Token bucket").card).getByText("Denied").waitFor();
}
