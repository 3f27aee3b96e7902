import { answer, balance, button, choose, section } from "./parts.js";
import { test } from "./visitor.js";

test("free users leave a part, the job takes what there is, and a denial says when the month begins in the zone", async ({
  page,
  expect,
}) => {
  const quotas = section(page, "A quota by the calendar");
  const said = () => expect.poll(() => answer(quotas).textContent());
  const left = () => expect.poll(() => balance(quotas));
  await button(quotas, "Job, up to 50").click();
  await said().toBe("Granted 50 exports.");
  await button(quotas, "Job, up to 50").click();
  await said().toBe("Granted 30 of the 50 that it wanted.");
  await button(quotas, "Free user, 20").click();
  await said().toMatch(/^Denied Opens again 1 \w+, 00:00 there\.$/);
  await left().toBe("20 of 100 exports left");
  await quotas.getByText("80% is used, 20 exports are left.").waitFor();
  // Each zone has a quota of its own.
  await choose(quotas, "Tokyo");
  await left().toBe("100 of 100 exports left");
});
