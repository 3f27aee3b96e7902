import { render } from "@testing-library/react";
import { DAY, MINUTE } from "convex-rate-limiter";
import type { ComponentType } from "react";
import { expect, test, vi } from "vitest";
import { pass, Provider, server, useFakeServer } from "../react/harness.js";
import { Page } from "../readme/page.js";

useFakeServer();

test("the usage page is full again when the month ends, without an answer of the server", async () => {
  const february = Date.UTC(2026, 1, 1);
  vi.setSystemTime(february - MINUTE);
  const page = new Page("docs/recipes.md#A usage page");
  const { Usage } = page.loader.load("src/Usage.tsx");
  const Shown = Usage as ComponentType;
  server.answer({
    value: 70,
    ts: Date.UTC(2026, 0, 1),
    shard: 0,
    config: { kind: "fixed window", rate: 100, period: 31 * DAY },
  });
  const { container } = render(<Shown />, { wrapper: Provider });
  await pass(0);
  const end = new Date(february).toLocaleString();
  expect(container.textContent).toBe(`70 of 100 left. All again: ${end}`);
  await pass(MINUTE);
  expect(container.textContent).toBe("100 of 100 left. ");
});
