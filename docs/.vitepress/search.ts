/**
 * What people type that a section does not say, or says only in passing: by page, or by page and
 * heading.
 */
export const synonyms: Readonly<Record<string, string>> = {
  start:
    "install, setup, quick start, getting started, spam, comments, posts, chat",
  "docs/how-it-works":
    "algorithm, internals, atomic, race condition, transaction, rollback, design",
  "docs/calls": "consume, take, acquire, API, methods",
  "docs/calls#several-limits-at-once":
    "per user and per team, combine, two limits, multiple limits, global limit",
  "docs/calls#start-afresh-reset": "reset a user, clear, unlock",
  "docs/calls#guard-a-function":
    "middleware, wrapper, queries, subscription, websocket, read limit",
  "docs/comparison": "alternatives, versus, competitors, Redis",
  "docs/cost": "pricing, price, billing, bill, charges, free plan",
  "docs/dashboard": "admin panel, back office, UI",
  "docs/dashboard#who-gets-in": "rotate the secret, password, login, sign in",
  "docs/holds":
    "AI tokens, OpenAI, Anthropic, idempotent, idempotency, exactly once, double charge",
  "docs/holds#settle-what-an-llm-call-used":
    "charge tokens after the fact, LLM, estimate, workflow, steps, retries, retried actions",
  "docs/holds#stream-an-answer": "streaming, stream, SSE",
  "docs/holds#limit-what-runs-at-once":
    "concurrency, concurrent, max concurrent jobs, semaphore, mutex, lock, parallel, parallel uploads, at the same time",
  "docs/http": "429, Too Many Requests, REST, API, webhooks",
  "docs/http#an-http-action-with-headers":
    "429 page, error page, Retry-After, CORS",
  "docs/http#by-hand": "Hono, own response, custom 429",
  "docs/keys":
    "per user, anonymous, IP address, API key, rotate API key, per API key, tenant, organisation",
  "docs/keys#users": "Clerk, Auth0, WorkOS, Convex Auth, identity, user id",
  "docs/keys#ip-addresses": "IP, IPv6, proxy, X-Forwarded-For",
  "docs/limits":
    "token bucket, fixed window, throttle, throttling, quota, monthly quota, daily quota, quota per month, per second, per minute, per hour",
  "docs/limits#the-kinds": "leaky bucket, sliding window, algorithm",
  "docs/limits#the-numbers":
    "burst, cooldown, debounce, once every, file upload, upload size, bytes, bandwidth",
  "docs/limits#calendar-windows":
    "billing cycle, billing period, monthly, weekly, yearly, anniversary",
  "docs/limits#changing-a-limit-that-is-in-use":
    "deploy, stop a deploy from resetting limits, refill everyone, raise a limit",
  "docs/migrating": "upgrade, switch, replace",
  "docs/migrating-others#from-upstashratelimit": "Redis, sliding window",
  "docs/migrating-others#from-express-rate-limit":
    "Express, middleware, MemoryStore",
  "docs/operators":
    "admin, monitoring, metrics, analytics, logs, who is limited",
  "docs/operators#log-denials": "logs, logging",
  "docs/operators#alert-when-denials-rise": "alerting, Slack, notify, pager",
  "docs/operators#openmetrics": "Prometheus, Grafana, Datadog",
  "docs/overrides#set-and-clear":
    "block, block IP, ban an IP, blocklist, allowlist, whitelist, exempt, VIP, unban, unblock, lift a ban, give a customer more for a day, temporarily, exception, ban a user, plan",
  "docs/overrides#dry-runs":
    "feature flag, gradual rollout, roll out, shadow mode, canary, log only, try out",
  "docs/privacy":
    "GDPR, DSGVO, CCPA, erasure, delete account, delete a user, personal data, data retention, right to be forgotten",
  "docs/protection": "abuse, bots, captcha, Turnstile, credit card testing",
  "docs/protection#floods": "DDoS, DoS, flood, firewall, WAF, Cloudflare",
  "docs/react":
    "disable button, hook, frontend, client, browser, Expo, Next.js",
  "docs/recipes": "examples, snippets, copy",
  "docs/recipes#failed-logins":
    "login, sign in, brute force, password guessing, lock out, 2FA, PIN, verify a code",
  "docs/recipes#password-resets-codes-and-invitations":
    "OTP, one-time password, magic link, verification mail, SMS, invite, forgot password, by e-mail and IP",
  "docs/recipes#a-day-in-the-users-time-zone":
    "timezone, midnight, export, daily limit",
  "docs/recipes#plans-in-my-users-table":
    "Stripe, subscription, tiers, pricing plans, upgrade, downgrade, free tier, pro",
  "docs/recipes#included-then-pay-per-use": "overage, metered, usage, Stripe",
  "docs/recipes#anonymous-visitors":
    "sign-up spam, signup, guests, votes, likes, contact form",
  "docs/recipes#you-call-convex-from-your-own-server":
    "Next.js, nextjs, Vercel, edge, SSR, server, backend, proxy, Remix, SvelteKit, ConvexHttpClient",
  "docs/recipes#hold-everyone-back-after-a-429":
    "backoff, exponential backoff, circuit breaker, retry, provider, pause",
  "docs/recipes#a-refund-when-a-job-fails": "refund, give back, failed job",
  "docs/recipes#an-account-page":
    "usage page, quota left, remaining, progress bar, meter",
  "docs/recipes#a-floor-for-each-class":
    "priority, reserved share, paying users first",
  "docs/recipes#a-fair-share-for-each-tenant":
    "fair, fairness, fair share, tenants, noisy neighbor, neighbour",
  "docs/recipes#ten-free-answers-ever":
    "trial, lifetime, once, free credits, credits",
  "docs/recipes#wait-for-a-free-place": "poll, wait in line, busy",
  "docs/reservations":
    "queue, delay, backpressure, wait, job, cron, batch, newsletter, webhook, pace",
  "docs/reservations#not-a-fair-queue": "workpool, FIFO, order",
  "docs/scaling":
    "sharding, OCC, write conflict, contention, hot row, performance, throughput, high traffic",
  "docs/stability":
    "versions, compatibility, semver, breaking changes, support, Node",
  "docs/stability#the-day-you-leave": "uninstall, remove, lock-in, vendor",
  "docs/testing": "vitest, convex-test, mock, fake timers, unit test, CI",
  "docs/testing#switch-the-limits-off":
    "disable in development, local development, turn off, bypass",
  "docs/troubleshooting#errors": "ExceedsCapacity, RateLimited, ConvexError",
  "docs/troubleshooting":
    "quota exceeded, rate limited, error, denied, not working, debug, undefined",
};

/** What a search finds first, as checkSearch.ts makes sure: a page, or a section of one. */
export const searches: Readonly<Record<string, string>> = {
  "429": "docs/http",
  "429 page": "docs/http#an-http-action-with-headers",
  OCC: "docs/scaling",
  burst: "docs/limits",
  cooldown: "docs/limits#the-numbers",
  pricing: "docs/cost",
  "quota exceeded": "docs/troubleshooting",
  sharding: "docs/scaling",
  throttle: "docs/limits",
  trial: "docs/recipes#ten-free-answers-ever",
  "write conflict": "docs/scaling",
  countdown: "docs/react",
  "ip address": "docs/keys",
  concurrency: "docs/holds",
  ban: "docs/overrides",
  "sliding window": "docs/limits#the-kinds",
  uninstall: "docs/stability#the-day-you-leave",
  queue: "docs/reservations",
  GDPR: "docs/privacy",
  install: "start",
  idempotent: "docs/holds",
  monthly: "docs/limits",
  fair: "docs/recipes#a-fair-share-for-each-tenant",
  tenant: "docs/recipes#a-fair-share-for-each-tenant",
  priority: "docs/recipes#a-floor-for-each-class",
  workpool: "docs/reservations#not-a-fair-queue",
  backoff: "docs/recipes#hold-everyone-back-after-a-429",
  quota: "docs/limits",
  "brute force": "docs/recipes#failed-logins",
  stripe: "docs/recipes",
  export: "docs/recipes",
  otp: "docs/recipes#password-resets-codes-and-invitations",
  invite: "docs/recipes#password-resets-codes-and-invitations",
  "limit password resets by email and IP":
    "docs/recipes#password-resets-codes-and-invitations",
  vercel: "docs/recipes#you-call-convex-from-your-own-server",
  nextjs: "docs/recipes#you-call-convex-from-your-own-server",
  expo: "docs/react",
  workflow: "docs/holds",
  stream: "docs/holds#stream-an-answer",
  semaphore: "docs/holds#limit-what-runs-at-once",
  "charge LLM tokens after the fact": "docs/holds#settle-what-an-llm-call-used",
  prometheus: "docs/operators#openmetrics",
  captcha: "docs/protection",
  mock: "docs/testing",
  "disable in development": "docs/testing#switch-the-limits-off",
  semver: "docs/stability",
  "rotate the secret": "docs/dashboard#who-gets-in",
  "rotate an API key": "docs/keys",
  "API key": "docs/keys",
  upstash: "docs/migrating-others",
  express: "docs/migrating-others#from-express-rate-limit",
  "how does it work": "docs/how-it-works",
  "race condition": "docs/how-it-works",
  "give a customer more for a day": "docs/overrides#set-and-clear",
  unban: "docs/overrides#set-and-clear",
  "stop a deploy from refilling everyone":
    "docs/limits#changing-a-limit-that-is-in-use",
  "per user and per team": "docs/keys",
  // Names of the API: guides come first, and the reference is there too.
  useRateLimit: "docs/react",
  setOverride: "docs/overrides",
  schedule: "docs/reservations",
  forget: "docs/privacy",
};

/** How the site searches. The browser gets it as text: it uses nothing from around it. */
export const searchOptions = {
  prefix: (term: string) => term.length > 2,
  fuzzy: (term: string) => (term.length > 4 ? 0.15 : false),
  // Words that say nothing of what is sought.
  processTerm: (term: string) =>
    /^(a|an|and|at|by|can|do|does|each|every|for|from|i|in|is|limit|limits|limiting|my|of|on|or|per|rate|the|to|what|when|who|with)$/i.test(
      term,
    )
      ? null
      : term.toLowerCase(),
  boost: { title: 4, text: 2, titles: 1 },
  // Guides come before what compares packages, then the reference, then what changed.
  boostDocument: (id: string) => {
    if (/comparison|migrating/.test(id)) return 0.4;
    return /reference/.test(id) ? 0.1 : /CHANGELOG/.test(id) ? 0.03 : 1;
  },
};

/** What no search finds: pages that only lead to others, and those for who looks into the package. */
const UNSEARCHED = /^(index|docs\/index|docs\/internals\/.*|bench\/.*)\.md$/;

/**
 * A page as the search reads it.
 *
 * @throws If there are words for a section that the page does not have.
 */
export function searchable(page: string, html: string): string {
  if (UNSEARCHED.test(page)) return "";
  const name = page.replace(/\.md$/, "");
  let text = html;
  for (const [section, words] of Object.entries(synonyms)) {
    const [of, id] = section.split("#");
    if (of !== name) continue;
    const heading =
      id === undefined
        ? /<h1.*?<\/h1>/s
        : new RegExp(`<h[23] id="${id}".*?</h[23]>`, "s");
    if (!heading.test(text)) {
      throw new Error(`docs/.vitepress/search.ts: there is no ${section}.`);
    }
    text = text.replace(heading, (found) => `${found}<p>${words}</p>`);
  }
  return text;
}
