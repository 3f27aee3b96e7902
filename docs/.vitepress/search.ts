/** What people type that a page does not say, or says only in passing. */
export const synonyms: Readonly<Record<string, string>> = {
  "docs/calls": "consume, take, acquire, API, methods",
  "docs/comparison": "alternatives, versus, competitors, Upstash, Redis",
  "docs/cost": "pricing, price, billing, bill, charges, free plan",
  "docs/holds":
    "concurrency, semaphore, mutex, parallel, OpenAI, Anthropic, AI tokens, streaming, stream, idempotent, idempotency, exactly once, refund",
  "docs/http": "429, Too Many Requests, Retry-After, API, CORS, webhooks",
  "docs/keys": "per user, anonymous, IP address, API key, tenant, organisation",
  "docs/limits":
    "token bucket, fixed window, burst, throttle, throttling, quota, monthly quota, daily quota, quota per month, leaky bucket, sliding window, debounce, algorithm",
  "docs/migrating": "upgrade, switch, replace, @convex-dev/rate-limiter",
  "docs/operators":
    "admin, monitoring, metrics, Prometheus, analytics, logs, alerting",
  "docs/overrides":
    "block, blocklist, allowlist, exempt, whitelist, plan, upgrade, feature flag, rollout, shadow mode",
  "docs/privacy":
    "GDPR, DSGVO, CCPA, erasure, delete account, delete a user, personal data, data retention",
  "docs/protection": "DDoS, DoS, flood, abuse, bots, captcha, firewall",
  "docs/react": "countdown, disable button, hook, frontend, client, browser",
  "docs/recipes":
    "examples, snippets, copy, login, brute force, trial, plan, subscription, free tier, fair, fairness, fair share, backoff, exponential backoff, Next.js, Vercel, edge, proxy, overage",
  "docs/reservations": "queue, delay, backpressure, wait, job, cron, batch",
  "docs/scaling":
    "sharding, OCC, write conflict, contention, hot row, performance, throughput, high traffic",
  "docs/stability":
    "versions, compatibility, semver, breaking changes, support, Node, uninstall, remove, lock-in",
  "docs/testing": "vitest, convex-test, mock, fake timers, unit test",
  "docs/troubleshooting":
    "quota exceeded, rate limited, error, denied, not working, debug",
};

/** What a search finds first, as checkSearch.ts makes sure. */
export const searches: Readonly<Record<string, string>> = {
  "429": "docs/http",
  OCC: "docs/scaling",
  burst: "docs/limits",
  pricing: "docs/cost",
  "quota exceeded": "docs/troubleshooting",
  sharding: "docs/scaling",
  throttle: "docs/limits",
  trial: "docs/recipes",
  "write conflict": "docs/scaling",
  countdown: "docs/react",
  "ip address": "docs/keys",
  concurrency: "docs/holds",
  ban: "docs/overrides",
  queue: "docs/reservations",
  GDPR: "docs/privacy",
  install: "start",
  idempotent: "docs/holds",
  monthly: "docs/limits",
  fair: "docs/recipes",
  backoff: "docs/recipes",
  quota: "docs/limits",
  "brute force": "docs/recipes",
  vercel: "docs/recipes",
  stream: "docs/holds",
  semaphore: "docs/holds",
  prometheus: "docs/operators",
  captcha: "docs/protection",
  mock: "docs/testing",
  semver: "docs/stability",
  tenant: "docs/keys",
  upstash: "docs/comparison",
  // Names of the API: guides come first, and the reference is there too.
  useRateLimit: "docs/react",
  setOverride: "docs/overrides",
  schedule: "docs/reservations",
  forget: "docs/privacy",
};

/** How the site searches. The browser gets it as text: it uses nothing from around it. */
export const searchOptions = {
  prefix: true,
  fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
  boost: { title: 4, text: 2, titles: 1 },
  // Guides come before the reference, and both before what changed.
  boostDocument: (id: string) =>
    /reference/.test(id) ? 0.1 : /CHANGELOG/.test(id) ? 0.03 : 1,
};

/** What no search finds: pages that only lead to others, and those for who looks into the package. */
const UNSEARCHED = /^(index|docs\/index|docs\/internals\/.*|bench\/.*)\.md$/;

/** A page as the search reads it. */
export function searchable(page: string, html: string): string {
  if (UNSEARCHED.test(page)) return "";
  const words = synonyms[page.replace(/\.md$/, "")];
  return words === undefined
    ? html
    : html.replace("</h1>", `</h1><p>${words}</p>`);
}
