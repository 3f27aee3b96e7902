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
  await said().toMatch(/^Denied Opens again 1 \w+, 00:00\.$/);
  await left().toBe("20 of 100 exports left");
  await quotas.getByText("80% is used, 20 exports are left.").waitFor();
  await button(quotas, "Paying user, 20").click();
  await left().toBe("0 of 100 exports left");
  // Each zone has a quota of its own.
  await choose(quotas, "Tokyo");
  await left().toBe("100 of 100 exports left");
});

test("the windows of each zone begin at its midnight", async ({
  page,
  expect,
}) => {
  const quotas = section(page, "A quota by the calendar");
  const windows = (city: string) =>
    quotas.getByRole("listitem", { name: city }).textContent();
  await choose(quotas, "Day");
  for (const city of ["New York", "Berlin", "Tokyo"]) {
    expect(await windows(city)).toMatch(/ 00:00 to .* 00:00(2[345] h)+$/);
  }
});
