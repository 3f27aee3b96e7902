import { startDemo } from "../startDemo.js";
import {
  answer,
  button,
  chat,
  lane,
  ONE_DAY_S,
  section,
  set,
} from "./parts.js";
import { test, testAlone } from "./visitor.js";

test("each of two tabs shows what the other one takes", async ({
  visit,
  expect,
}) => {
  const { openTab, problems } = await visit();
  const [one, other] = [await openTab(), await openTab()];
  for (const tab of [one, other]) await set(tab, { Period: ONE_DAY_S });
  await button(one, "Take 5").click();
  await expect.poll(lane(other, "Token bucket").balance).toBe("5 of 10 tokens");
  await button(other, "Take 1").click();
  await expect.poll(lane(one, "Token bucket").balance).toBe("4 of 10 tokens");
  await button(one, "Start over").first().click();
  await expect
    .poll(lane(other, "Token bucket").balance)
    .toBe("10 of 10 tokens");
  expect(problems).toEqual([]);
});

test("a message that one tab sends is listed and counted in the other", async ({
  visit,
}) => {
  const { openTab } = await visit();
  const [one, other] = [await openTab(), await openTab()];
  const seen = chat(other);
  await seen.getByText("3 messages left").waitFor();
  await one
    .getByRole("textbox", { name: "Message" })
    .fill("From the other tab");
  await button(one, "Send").click();
  await seen.getByRole("listitem").getByText("From the other tab").waitFor();
  await seen.getByText("2 messages left").waitFor();
});

test("each visitor has their own limits", async ({ visit, expect }) => {
  const [one, other] = [await visit(), await visit()];
  const taker = await one.openTab();
  const bystander = await other.openTab();
  await button(taker, "Take 5").click();
  await lane(taker, "Token bucket").answer.getByText("Granted 5").waitFor();
  expect(await lane(bystander, "Token bucket").balance()).toBe(
    "10 of 10 tokens",
  );
});

testAlone(
  "calls made while the demo is down run when it is started again",
  async ({ visit, expect, onTestFinished }) => {
    let demo = await startDemo({ port: 0, convexPort: 0 });
    onTestFinished(() => demo.close());
    const ports = {
      port: Number(new URL(demo.url).port),
      convexPort: Number(new URL(demo.server.url).port),
    };
    const { context, openTab } = await visit({ demo });
    const sockets: string[] = [];
    context.on("page", (page) =>
      page.on("websocket", (socket) =>
        sockets.push(new URL(socket.url()).port),
      ),
    );
    const page = await openTab();
    const navigations: string[] = [];
    page.on("framenavigated", (frame) => navigations.push(frame.url()));
    const room = chat(page);
    const jobs = section(page, "Reserve now, run later");

    await demo.close();
    await page.getByText("Connecting", { exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("Sent meanwhile");
    await button(room, "Send").click();
    await answer(room).getByText("Runs when the server is back.").waitFor();
    await button(jobs, "Reserve 1").click();
    await button(jobs, "Reserve 1").click();
    await answer(jobs).getByText("2 calls run").waitFor();

    demo = await startDemo(ports);
    // In parallel, since the token is back in six seconds.
    await Promise.all([
      page.getByText("Live", { exact: true }).waitFor(),
      room.getByRole("listitem").getByText("Sent meanwhile").waitFor(),
      room.getByText("2 messages left").waitFor(),
    ]);
    await answer(jobs).getByText("Pending").waitFor({ state: "hidden" });
    await expect.poll(() => jobs.locator(".jobs strong").count()).toBe(2);
    expect(navigations).toEqual([]);
    // It cannot reload later: it listens to Convex alone, not to the server of the page.
    expect(new Set(sockets)).toEqual(new Set([String(ports.convexPort)]));
  },
);
