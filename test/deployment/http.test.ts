import { expect, inject, test } from "vitest";

// The limit is by address, so other runs from the same address share it.
test("the HTTP endpoint sends the remaining count, and denies with 429 and Retry-After", async () => {
  const remaining: number[] = [];
  let response: Response;
  do {
    response = await fetch(new URL("/quote", inject("siteUrl")));
    expect(response.headers.get("RateLimit-Policy")).toBe('"quotes";q=5;w=10');
    const { r, t } =
      /^"quotes";r=(?<r>\d+);t=(?<t>\d+)$/.exec(
        response.headers.get("RateLimit") ?? "",
      )?.groups ?? {};
    expect(Number(t)).toBeLessThanOrEqual(10);
    remaining.push(Number(r));
  } while (response.status === 200);
  expect(remaining.length).toBeLessThanOrEqual(11);
  expect(remaining.at(-1)).toBe(0);
  expect(response.status).toBe(429);
  expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({
    title: "Quota Exceeded",
    "violated-policies": ["quotes"],
  });
});
