/**
 * What people type that a section does not say, or says only in passing: by page, or by page and
 * heading.
 */
export const synonyms: Readonly<Record<string, string>> = {
  start:
    "install, setup, quick start, getting started, spam, comments, posts, chat, own component, defineComponent",
  "docs/how-it-works":
    "algorithm, internals, atomic, race condition, transaction, rollback, design",
  "docs/calls": "consume, take, acquire, API, methods",
  "docs/calls#several-limits-at-once":
    "per user and per team, combine, two limits, multiple limits, global limit",
  "docs/calls#start-afresh-reset":
    "reset a user, clear, unlock, reset all limits, clear everything, reset a user from support",
  "docs/calls#guard-a-function":
    "middleware, wrapper, every mutation, all mutations",
  "docs/comparison": "alternatives, versus, competitors, Redis",
  "docs/cost": "pricing, price, billing, bill, charges, free plan",
  "docs/dashboard": "admin panel, back office, UI",
  "docs/dashboard#who-gets-in": "rotate the secret, password, login, sign in",
  "docs/holds":
    "AI tokens, OpenAI, Anthropic, idempotent, idempotency, exactly once, double charge",
  "docs/holds#settle-what-an-llm-call-used":
    "charge tokens after the fact, LLM, estimate, workflow, steps, retries, retried actions, TPM, tokens per minute, OpenAI, per user per day",
  "docs/holds#stream-an-answer": "streaming, stream, SSE",
  "docs/holds#limit-what-runs-at-once":
    "concurrency, concurrent, max concurrent jobs, semaphore, mutex, lock, parallel, parallel uploads, at the same time",
  "docs/http": "429, Too Many Requests, REST, API, webhooks",
  "docs/http#an-http-action-with-headers":
    "429 page, error page, Retry-After, CORS, incoming webhooks, receive webhooks, webhook endpoint, by IP in an HTTP action",
  "docs/http#by-hand":
    "Hono, own response, custom 429, X-RateLimit headers, custom error page, X-RateLimit-Limit, X-RateLimit-Remaining",
  "docs/keys":
    "per user, anonymous, IP address, API key, rotate API key, per API key, tenant, organisation, global limit, all users, everyone, shared limit, workspace, organization, session, device",
  "docs/keys#users": "Clerk, Auth0, WorkOS, Convex Auth, identity, user id",
  "docs/keys#ip-addresses": "IP, IPv6, proxy, X-Forwarded-For",
  "docs/limits":
    "token bucket, fixed window, throttle, throttling, quota, monthly quota, daily quota, quota per month, per second, per minute, per hour",
  "docs/limits#the-kinds":
    "leaky bucket, sliding window, algorithm, rolling window, rolling 24 hours",
  "docs/limits#the-numbers":
    "burst, cooldown, debounce, once every, file upload, upload size, bytes, bandwidth, bulk insert, batch, import, presence, heartbeat, typing indicator, webhooks from one sender",
  "docs/limits#calendar-windows":
    "billing cycle, billing period, monthly, weekly, yearly, anniversary",
  "docs/limits#changing-a-limit-that-is-in-use":
    "deploy, stop a deploy from resetting limits, refill everyone, raise a limit, rename a limit",
  "docs/migrating":
    "upgrade, switch, replace, migrate, migration, migrate from @convex-dev/rate-limiter, official component",
  "docs/migrating-others#from-upstashratelimit": "Redis, sliding window",
  "docs/migrating-others#from-express-rate-limit":
    "Express, middleware, MemoryStore",
  "docs/operators":
    "admin, monitoring, metrics, analytics, logs, who is limited",
  "docs/operators#log-denials":
    "logs, logging, who was limited, who was rate limited, audit",
  "docs/operators#alert-when-denials-rise": "alerting, Slack, notify, pager",
  "docs/operators#openmetrics": "Prometheus, Grafana, Datadog",
  "docs/overrides#set-and-clear":
    "block, block IP, ban an IP, blocklist, allowlist, whitelist, exempt, VIP, unban, unblock, lift a ban, give a customer more for a day, temporarily, exception, ban a user, plan, bypass, admin bypass, admins, skip, promo, extra quota, change a limit without a deploy",
  "docs/overrides#dry-runs":
    "feature flag, gradual rollout, roll out, shadow mode, canary, log only, try out",
  "docs/privacy":
    "GDPR, DSGVO, CCPA, erasure, delete account, delete a user, personal data, data retention, right to be forgotten, export user data, data export, subject access request",
  "docs/protection": "abuse, bots, captcha, Turnstile, credit card testing",
  "docs/protection#floods": "DDoS, DoS, flood, firewall, WAF, Cloudflare",
  "docs/react":
    "disable button, hook, frontend, client, browser, Expo, Next.js",
  "docs/recipes": "examples, snippets, copy",
  "docs/recipes#failed-logins":
    "login, sign in, brute force, password guessing, lock out, 2FA, PIN, verify a code, two-factor codes, login attempts",
  "docs/recipes#password-resets-codes-and-invitations":
    "OTP, one-time password, magic link, verification mail, SMS, invite, forgot password, by e-mail and IP, by email, email address, email verification, limit by email, resend a code, resend",
  "docs/recipes#a-day-in-the-users-time-zone":
    "timezone, midnight, export, daily limit",
  "docs/recipes#plans-in-my-users-table":
    "Stripe, subscription, tiers, pricing plans, upgrade, downgrade, free tier, pro",
  "docs/recipes#included-then-pay-per-use": "overage, metered, usage, Stripe",
  "docs/recipes#anonymous-visitors":
    "sign-up spam, signup, guests, votes, likes, contact form, signup abuse, like button",
  "docs/recipes#you-call-convex-from-your-own-server":
    "Next.js, nextjs, Vercel, edge, SSR, server, backend, proxy, Remix, SvelteKit, ConvexHttpClient",
  "docs/recipes#hold-everyone-back-after-a-429":
    "backoff, exponential backoff, circuit breaker, retry, provider, pause",
  "docs/recipes#a-refund-when-a-job-fails": "refund, give back, failed job",
  "docs/recipes#an-account-page":
    "usage page, quota left, remaining, progress bar, meter, how many are left, requests left, balance of a user",
  "docs/recipes#a-floor-for-each-class":
    "priority, reserved share, paying users first",
  "docs/recipes#a-fair-share-for-each-tenant":
    "fair, fairness, fair share, tenants, noisy neighbor, neighbour",
  "docs/recipes#ten-free-answers-ever":
    "trial, lifetime, once, free credits, credits, credit packs, buy credits, top up, prepaid",
  "docs/recipes#wait-for-a-free-place": "poll, wait in line, busy",
  "docs/reservations":
    "queue, delay, backpressure, wait, job, cron, batch, newsletter, webhook, pace, slow down instead of denying, wait instead of an error, delay instead of deny",
  "docs/reservations#not-a-fair-queue": "workpool, FIFO, order",
  "docs/scaling":
    "sharding, OCC, write conflict, contention, hot row, performance, throughput, high traffic, retry after write conflicts, retries, OptimisticConcurrencyControl",
  "docs/stability":
    "versions, compatibility, semver, breaking changes, support, Node",
  "docs/stability#the-day-you-leave": "uninstall, remove, lock-in, vendor",
  "docs/testing": "vitest, convex-test, mock, fake timers, unit test, CI",
  "docs/testing#switch-the-limits-off":
    "disable in development, local development, turn off, bypass, dev and prod, development and production, staging, preview, environments, different limits, load test, disable locally, seed, preview deployment",
  "docs/calls#take-tokens-limit":
    "vector search, image generation, actions without transactions, action, embedding",
  "docs/reservations#a-third-partys-hard-cap":
    "Stripe API, third-party API, external API, API rate limit, provider's API",
  "docs/overrides":
    "without a deploy, without deploying, at run time, change a limit, change limits, change limits live, raise a limit",
  "docs/protection#failing-open-on-purpose":
    "what if the component fails, fail open, outage, fallback, the component fails, the limiter fails, component is down",
  "docs/react#a-countdown-on-a-button":
    "wait and retry in the client, retry in the browser",
  "docs/calls#in-a-query":
    "queries, subscription, websocket, read limit, reads",
  "docs/troubleshooting#errors":
    "ExceedsCapacity, RateLimited, ConvexError, error message, toast, show an error to the user, catch in the browser",
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
  // Tasks, as people type them.
  "limit by IP in an HTTP action": "docs/http#an-http-action-with-headers",
  "LLM tokens per user per day": "docs/holds#settle-what-an-llm-call-used",
  "OpenAI TPM limit": "docs/holds#settle-what-an-llm-call-used",
  "free and paid plans": "docs/recipes#plans-in-my-users-table",
  "refund on failure": "docs/recipes#a-refund-when-a-job-fails",
  "retry a failed job without paying twice":
    "docs/recipes#a-refund-when-a-job-fails",
  "user pays twice when action retries":
    "docs/holds#settle-what-an-llm-call-used",
  "rate limit a cron job": "docs/reservations",
  "send emails slowly": "docs/reservations#mails-at-10-a-second-for-hours",
  "slow down instead of deny": "docs/reservations",
  "Stripe API rate limit": "docs/reservations#a-third-partys-hard-cap",
  "show countdown in React": "docs/react#a-countdown-on-a-button",
  "React Native": "docs/react",
  "convex-test": "docs/testing",
  "different limits in dev and prod": "docs/testing#switch-the-limits-off",
  "load test": "docs/testing#switch-the-limits-off",
  "disable rate limiting locally": "docs/testing#switch-the-limits-off",
  "reset a user's limit": "docs/calls#start-afresh-reset",
  "vector search": "docs/calls#take-tokens-limit",
  "actions without transactions": "docs/calls#take-tokens-limit",
  "limit a query": "docs/calls#in-a-query",
  "admin bypass": "docs/overrides#set-and-clear",
  "unlimited for admins": "docs/overrides#set-and-clear",
  "export personal data": "docs/privacy",
  "file uploads": "docs/limits#the-numbers",
  "bulk insert": "docs/limits#the-numbers",
  "typing indicator": "docs/limits#the-numbers",
  "rolling 24 hours": "docs/limits#the-kinds",
  "weekly limit starting monday": "docs/limits#calendar-windows",
  "rename a limit": "docs/limits#changing-a-limit-that-is-in-use",
  "monthly quota in user's time zone":
    "docs/recipes#a-day-in-the-users-time-zone",
  "multi-tenant": "docs/recipes#a-fair-share-for-each-tenant",
  "incoming webhooks": "docs/http#an-http-action-with-headers",
  "custom error page": "docs/http#by-hand",
  "X-RateLimit headers": "docs/http#by-hand",
  "Better Auth": "docs/http#better-auth",
  "forgot password": "docs/recipes#password-resets-codes-and-invitations",
  "login attempts": "docs/recipes#failed-logins",
  "signup abuse": "docs/recipes#anonymous-visitors",
  "Next.js server actions": "docs/recipes#you-call-convex-from-your-own-server",
  "how many requests left": "docs/recipes#an-account-page",
  "buy more credits": "docs/recipes#ten-free-answers-ever",
  Clerk: "docs/keys#users",
  "per API key quotas": "docs/keys",
  "global limit across all users": "docs/keys",
  "retry after write conflicts": "docs/scaling",
  "migrate from @convex-dev/rate-limiter": "docs/migrating",
  "use in my own component": "start#install",
  "show error message to the user": "docs/troubleshooting#errors",
  "log who was rate limited": "docs/operators#log-denials",
  "component is down": "docs/protection#failing-open-on-purpose",
  "max 3 concurrent jobs per user": "docs/holds#limit-what-runs-at-once",
  "streaming chat response": "docs/holds#stream-an-answer",
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
    /^(a|across|all|an|and|at|by|can|do|does|each|from|every|for|from|i|if|in|is|limit|limits|limiting|my|of|on|or|per|rate|the|to|what|when|who|with)$/i.test(
      term,
    )
      ? null
      : term.toLowerCase(),
  boost: { title: 4, text: 2, titles: 1 },
  // Guides come before what compares packages, then the reference, then what changed.
  boostDocument: (id: string) => {
    if (/comparison/.test(id)) return 0.4;
    if (/migrating/.test(id)) return 0.5;
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
