import type { Page } from "playwright-core";
import { button, lane, section } from "./playground.js";

/** Leaves a trace in every part of the page, so that there is something to look at. */
export async function useEverything(page: Page): Promise<void> {
  const taken = lane(page, "Token bucket");
  await button(page, "Take 5").click();
  await taken.card.getByText("Granted 5 tokens.").waitFor();
  await page.getByLabel("Count").fill("20");
  await button(page, "Take").click();
  await taken.card.getByText("Never granted").waitFor();
  const quotas = section(page, "A plan’s quota");
  for (let i = 0; i < 2; i++) await button(quotas, "Job, up to 50").click();
  await quotas.getByText("The job took 30 of 50.").waitFor();
  await button(page, "Reserve 5").click();
  const jobs = section(page, "Reserve now, run later");
  await jobs.getByRole("row", { name: /Invoice 5/ }).waitFor();
  await button(page, "Burst of 50").click();
  await page.getByText("50 granted, 0 denied.").waitFor();
  const atOnce = section(page, "Three at a time");
  await button(atOnce, "Render, 7 s").click();
  await button(atOnce, "Render and crash").click();
  await atOnce.getByText("crashed", { exact: true }).waitFor();
  const answers = section(page, "Hold the most, settle the cost");
  await button(answers, "Ask").click();
  await button(answers, "Ask and crash").click();
  await answers.getByText("writing", { exact: true }).waitFor();
  const together = section(page, "Several limits, all or none");
  for (let i = 0; i < 3; i++) {
    await button(together, "Upload, costs 5").click();
  }
  await together.getByText("Denied by ").waitFor();
  const messages = section(page, "The limit in your own interface");
  for (const left of ["2 messages", "1 message", "0 messages"]) {
    await button(messages, "Send").click();
    await messages.getByText(`${left} left`).waitFor();
  }
  const operators = section(page, "Who is limited, and by how much");
  await button(operators, "Let four users send").click();
  await button(operators, "Ban Hedy").click();
  await operators.getByRole("row", { name: /^Hedy banned/ }).waitFor();
  await button(operators, "Raise Ada").click();
  await operators.getByRole("row", { name: /^Ada raised/ }).waitFor();
  const rollout = section(page, "A new limit, for a few users first");
  await button(rollout, "Enforce now").click();
  await rollout.getByText("Enforced for 10% of the users.").waitFor();
  // Whatever has come in meanwhile: there are never fifteen.
  for (let i = 0; i < 3; i++) await button(page, "Take 5").click();
  await taken.card.getByText("Denied 5 tokens.").waitFor();
}
