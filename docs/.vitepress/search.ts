/**
 * What people type that a section does not say, or says only in passing: by page, or by page and
 * heading.
 */
export const synonyms: Readonly<Record<string, string>> = {
  start:
    "install, setup, quick start, getting started, spam, comments, posts, chat, own component, defineComponent, friend requests, follows, comments per post, self-hosted, requirements, custom component, in a component, chat flood, flood a chat, group chat, first limit, messages an hour, how many messages may someone send, a script that posts too much, create rooms, send invitations, follow 1000 people in a minute, reactions, posting too often, messages in a minute, comments in a minute, rename, edit, profile changes, reviews, ratings, bookings, orders, tickets, too many messages, more than twice a day, not more than, abuse of a form, beginner, example, tutorial",
  "docs/how-it-works":
    "algorithm, internals, atomic, race condition, transaction, rollback, design, exact, accuracy, stored, how does it work, work, two calls at the same moment, simultaneous, two servers, explain, in plain words, beginner, double spend, two tabs, survive a restart, restart of the server, where the counter lives, memory, what happens inside, background",
  "docs/calls":
    "consume, take, acquire, API, methods, in a mutation, in an action, rate limit mutations, rate limit actions",
  "docs/calls#several-limits-at-once":
    "per organization, organization and user, company wide limit, company, org limit, minute and day, per minute and per day, per user and per team, combine, two limits, multiple limits, global limit, per second and per hour, two limits on one key, minute and hour, second and day, hourly and daily, a minute and a day, each minute and each day, minute plus day, per minute, per day, a message counts against the room and the user, member and group, both, counts in two places, counts against, departments, separate budgets, parent company, doctor and clinic, both have a quota",
  "docs/calls#start-afresh-reset":
    "reset a user, clear, unlock, reset all limits, clear everything, reset a user from support, refill now, reset manually, clear all limits, CLI, terminal, command line, clear limits, customer complains, start over, back to zero, clean slate, paid but is still blocked, refill by hand, forgive, let somebody try again, lift a lock, empty the counter, counter to zero, second chance, wipe the counter",
  "docs/calls#guard-a-function":
    "middleware, wrapper, every mutation, all mutations, customMutation, decorator, protect a mutation, protect functions, public functions, all functions of a file, without repeating it, one place, thirty functions, wrap, before each mutation, one line, boilerplate, repeated code, higher-order function, annotate, reusable",
  "docs/comparison":
    "alternatives, versus, competitors, Redis, compare with Upstash, why not a counter, own table, several backends, several deployments, two apps, multi-region, good enough, current package, which package, better, difference, build it myself, own counter, counter in a table, is it worth it, versus the official one, which one to take, pros and cons",
  "docs/cost":
    "pricing, price, billing, bill, charges, free plan, cost per call, price per request, bandwidth, latency, how fast, overhead, what does it cost each month, money, expensive, cheap, slower, milliseconds, how big, size of the table, does it make my app slow, does each call cost extra, function calls a month, how much will I pay, pricing page",
  "docs/dashboard":
    "admin panel, back office, UI, look at, screen, web page for the team, for support staff, see what happens, see one account, look up a customer, inspect a user, support team, without a developer, sales team",
  "docs/dashboard#who-gets-in": "rotate the secret, password, login, sign in",
  "docs/holds":
    "AI tokens, OpenAI, Anthropic, idempotent, idempotency, exactly once, double charge, budget, spend cap, GPT, AI chat, chat messages, chatbot, OpenAI cost, LLM cost, GPT cost, idempotency key",
  "docs/holds#settle-what-an-llm-call-used":
    "charge tokens after the fact, LLM, estimate, workflow, steps, retries, retried actions, TPM, tokens per minute, OpenAI, per user per day, GPT cost, token usage, crash recovery, long-running job, at most once, partial refund, count tokens after the response, prompts, action crashed, action timeout, retry an action, only what the model really wrote, real usage, actual usage, cost not known in advance, OpenAI bill exploded, counting twice, counted twice, count once, same request twice, retry without counting it again, duplicate, minutes of audio, seconds of video, length not known before, transcription, pay afterwards, loop, endless loop, runaway agent, runaway costs, bot burns money, Anthropic, Claude, Gemini, Mistral, model bill, pages that the PDF really had, number not known before, real number of pages",
  "docs/holds#stream-an-answer":
    "user closed the tab, closes the tab, disconnect, streaming, stream, SSE, stop generating, aborted, cancel an answer, cut off, half an answer, interrupted, unfinished answer, stopped in the middle",
  "docs/holds#take-once-for-what-comes-twice":
    "idempotent, idempotency key, same event twice, webhook sent again, duplicate delivery, deduplicate, retried request, count only once",
  "docs/limits#more-than-one-limiter":
    "two sets of limits, own component, inside my component, separate tables, mount twice, several limiters, two limiters, component.use",
  "docs/recipes#ten-more-for-one-user-today":
    "more today, extra quota, support gives more, goodwill, bonus for one user, raise the limit for today, increase for one user",
  "docs/holds#limit-what-runs-at-once":
    "job never finishes, stuck job, one job at a time, worker died, concurrency, concurrent, max concurrent jobs, semaphore, mutex, lock, parallel, parallel uploads, at the same time, single job, long-running jobs, worker pool, one at a time, only one, long-running task, running job, concurrent users, video, transcoding, rendering, slot is still taken, slots, crashed, hangs, three at a time, converted at a time, how many run, running twice, one import, one export at a time, lock expires, long job, takes ten minutes, second one has to wait, not twice at the same time, already running, one person edits a document, lock a document, exclusive access, one session per user, one device at a time, logged in twice, account sharing, work at once, scrapers at once, downloads at once, browsers at once, simultaneous jobs, busy worker, cap on running jobs, exports at once, two workers on one job, fifty exports at once, nightly report runs twice, two crons fire, only one report",
  "docs/http":
    "429, Too Many Requests, REST, API, webhooks, public API, REST API, preflight, GraphQL, rate limit HTTP endpoint, Retry-After, Retry-After header, HTTP status code, status 429, 403, tell clients when to come back, curl, mobile app, API for customers, partners call my API, endpoint, how long to wait, public API too fast, partner, third-party developers, API consumers, clients of my API",
  "docs/http#an-http-action-with-headers":
    "429 page, error page, Retry-After, CORS, incoming webhooks, receive webhooks, webhook endpoint, by IP in an HTTP action, Retry-After header, retry after seconds, preflight, send Retry-After, Retry-After in seconds, set Retry-After, return an error with the seconds to wait, JSON API, REST endpoint, 429 page with headers",
  "docs/http#by-hand":
    "Hono, own response, custom 429, X-RateLimit headers, custom error page, X-RateLimit-Limit, X-RateLimit-Remaining, own text, own JSON",
  "docs/keys":
    "per user, anonymous, IP address, API key, rotate API key, per API key, tenant, organisation, global limit, all users, everyone, shared limit, workspace, session, device, Discord bot, Slack bot, Telegram bot, room, document, API key quota, several devices, service account, machine to machine, OAuth app, key length, long keys, special characters, namespace, prefix, whole app, whole site, one limit for all, per what, who is counted, per household, per document, per branch, per shop, per class, per phone number, per game, one number, per phone, which id, nickname, email as key, guest id, per city, per domain, per link",
  "docs/keys#users-with-clerk-auth0-or-convex-auth":
    "user signs in again, signs out and in, new session, tokenIdentifier, full limit after login, Clerk, Auth0, WorkOS, Convex Auth, identity, user id, Lucia, sign-in provider, ctx.auth, getUserIdentity, subject, auth",
  "docs/keys#ip-addresses":
    "IP, IPv6, proxy, X-Forwarded-For, NAT, VPN, Tor, shared Wi-Fi, office, same address, same IP, company router, school, household, mobile carrier, people from one IP, behind a VPN",
  "docs/limits":
    "token bucket, fixed window, throttle, throttling, quota, monthly quota, daily quota, quota per month, per second, per minute, per hour",
  "docs/limits#the-kinds":
    "leaky bucket, sliding window, algorithm, rolling window, rolling 24 hours, hourly",
  "docs/limits#the-numbers":
    "ping, pings, presence, heartbeat, keep-alive, poll every second, polling, leaderboard, score submit, posting too fast, burst, cooldown, debounce, once every, bulk insert, batch, import, typing indicator, webhooks from one sender, search as you type, autocomplete, autosave, file downloads, large payload, game actions, minimum interval between requests, delay between calls, once per minute, once a minute, type-ahead, typeahead, search box, traffic, burst traffic, double submit, double click, prompts, wait between two posts, pause between, seconds between, sensible numbers, good defaults, how strict, location updates, GPS, driver, sensor, IoT, telemetry, every two seconds, once every few seconds, interval, more than twice a day, three times an hour, how many per minute, form sent twice, clicked twice, impatient users, slow network",
  "docs/limits#calendar-windows":
    "billing cycle, billing period, monthly, weekly, yearly, anniversary, resets at midnight, reset every day, first of the month, hourly, daily, images per day, UTC midnight, local midnight, daylight saving time, first of each month, back to zero, start of the week, Germany, Berlin, London, local time, office week, week begins on Sunday, Sunday, Monday, quarter, school year, renewal date, subscription month",
  "docs/limits#changing-a-limit-that-is-in-use":
    "deploy, stop a deploy from refilling, resetting limits, refill everyone, raise a limit, rename a limit, what happens when I deploy, quota already used, lose counters, lower a limit, after an update, new version, restart, after a restart, change the kind, from fixed window to token bucket, edit the numbers later, without giving everybody new tokens",
  "docs/migrating":
    "upgrade, switch, replace, migrate, migration, migrate from @convex-dev/rate-limiter, official component, keep the counters, without losing counts, already use the official one",
  "docs/migrating-others#from-upstashratelimit": "Redis, sliding window",
  "docs/migrating-others#from-express-rate-limit":
    "Express, middleware, MemoryStore",
  "docs/operators":
    "who used the most, admin, monitoring, metrics, analytics, logs, who is limited, list limited users, who hit the limit, who was denied, top offenders, abusers, OpenTelemetry, tracing, see denied users, see who is denied, statistics, report for the team",
  "docs/operators#log-denials":
    "logs, logging, who was limited, who was rate limited, audit, Sentry, PostHog, Axiom, who hit the limit, who was blocked, blocked yesterday, refusals, keep a record, log every refusal, write to a log, keep evidence, debug a complaint",
  "docs/operators#alert-when-denials-rise":
    "alerting, Slack, notify, pager, message on Slack, too many refused, page me, tell me when, notify the team, unusual, mail me when, mail when a customer is refused all the time",
  "docs/operators#openmetrics": "Prometheus, Grafana, Datadog",
  "docs/overrides#ban-exempt-or-change-a-limit":
    "allowlist an office IP, office IP, allowlist an address, unblock a customer, kick a user, shadow ban, timeout a user, block, block IP, ban an IP, blocklist, allowlist, whitelist, exempt, VIP, unban, unblock, lift a ban, give a customer more for a day, temporarily, exception, ban a user, plan, bypass, admin bypass, admins, skip, promo, extra quota, change a limit without a deploy, whitelist my IP, increase a limit for one customer, temporary boost, Black Friday, promotion, abusive user, at runtime, permanent ban, ban duration, mute, suspend an account, exempt a user, change a limit for one user, override per key, until Monday, until tomorrow, for a week, first week, one customer today, bigger customer, special deal, block a user, spammer, admins as much as they like, our own staff, employees, no limit for, office address, beta testers, double, twice as much, for this month, partner, friends, event day, triple, raise for one customer, in December, holiday season, weekend offer, switch off for everybody, pause a limit, suspend, blocked by mistake, troll, extra quota without a developer, sales team, grant more",
  "docs/overrides#dry-runs":
    "try a new limit without blocking anyone, new limit, blocking, test a limit in production, feature flag, gradual rollout, roll out, shadow mode, canary, log only, try out, A/B test, observe only, before it goes live, whom it would hit, who would be denied, without effect, simulate, rehearse, impact, ten percent of the users first, a small share first, gradually, step by step, lock out everybody on day one, too strict, launch a limit, first see, safe start, measure first, count without blocking, what if, find the right number, calibrate, existing app, who would be hit, add limits to an old app",
  "docs/privacy":
    "GDPR, DSGVO, CCPA, erasure, delete account, delete a user, personal data, data retention, right to be forgotten, export user data, data export, subject access request, PII, data residency, backup, remove everything about a person, person who left, closed the account, wipe, user deleted the account, clean up here",
  "docs/protection":
    "abuse, bots, captcha, Turnstile, credit card testing, scrapers, scraping, security, crawler reads my pages, scraper, public page",
  "docs/protection#floods":
    "DDoS, DoS, flood, firewall, WAF, Cloudflare, ban a country, block a country, geo block, by country, attack, attackers, thousands of requests, botnet, hammered, overload, someone attacks my site, bill explodes",
  "docs/react":
    "disable button, hook, frontend, client, browser, Expo, Next.js, Vue, Svelte, Angular, useQuery, client side, subscribe, live, realtime, real time, Expo app, next to the input, while typing, what the user sees, what does the user see, clock of the phone, wrong clock, change the clock",
  "docs/recipes": "examples, snippets, copy",
  "docs/recipes#failed-logins":
    "guess a coupon code, coupon codes, gift card codes, voucher, login, sign in, brute force, password guessing, lock out, 2FA, PIN, verify a code, two-factor codes, login attempts, passkeys, TOTP, login throttling, wrong password, wrong passwords, guessing, keep guessing, five times, lock the account, stolen passwords, credential stuffing, door code, unlock code, PIN code, password of a shared link, promo code, referral code, same coupon from many phones, unlock an account, typed the wrong code too often, hacker, break into accounts, account takeover, log in too often, attempts, mistyped, checking many e-mail addresses in the login form, does this address exist",
  "docs/recipes#password-resets-codes-and-invitations-by-email":
    "OTP, one-time password, magic link, verification mail, SMS, invite, forgot password, by e-mail and IP, by email, email address, email verification, limit by email, resend a code, resend, SMS cost, SMS pumping, Twilio, text messages, phone number, referral, referrals, resend verification email, mailbox, mail bombing, someone else's address, code by phone, invite pupils, invite friends, teacher, confirm an address, text message, text messages to one number, phone verification, one number, invite link, share by mail",
  "docs/recipes#a-day-in-the-users-time-zone":
    "timezone, midnight, export, daily limit, daily reward, claim once a day, rollover, carry over, roll over unused, unused requests move to the next day, save up, carry over to next month, midnight where the user lives",
  "docs/recipes#plans-in-my-users-table":
    "switch plan mid month, change plan, downgrade to free, plan change, cancel a subscription, Stripe, subscription, tiers, pricing plans, upgrade, downgrade, free tier, pro, premium, premium users, different limits for paying users, Polar, Paddle, Autumn, enterprise, role, roles, by role, reset after payment, bigger package, gold and silver, basic, customers with different quotas, cancels the subscription, subscription expires, unpaid, family plan, students, discount, basic and business, switch to yearly, seats of a plan, quota by plan, plan of the team, gold members, members and others",
  "docs/recipes#included-then-pay-per-use":
    "overage, metered, usage, Stripe, usage-based pricing, soft limit, usage-based billing, invoice, invoice what was used beyond the plan, beyond the plan, above the allowance, extra usage, bill a customer, charge for more, metering, charge by the number of requests, charge customers, surcharge, fair use, extra messages, pay as you go, ceiling for extra costs",
  "docs/recipes#anonymous-visitors":
    "bots creating accounts, create accounts, creating accounts, registration, sign-up spam, signup, guests, votes, likes, contact form, signup abuse, like button, spam accounts, fake accounts, account creation, fingerprint, device fingerprint, not logged in, without an account, strangers, public form, searches by guests, visitors without an account, survey, quiz, feedback form, poll without login, new ids, incognito, clears cookies, cookies, private window, new account each time",
  "docs/recipes#you-call-convex-from-your-own-server":
    "Next.js, nextjs, Vercel, edge, SSR, server, backend, proxy, Remix, SvelteKit, ConvexHttpClient, TanStack Start, Nuxt, Astro, middleware, Vercel IP, server renders pages, all visitors look like one, server-side rendering, same address for all visitors, Express in front, API gateway, server-to-server, backend for frontend, cron server",
  "docs/recipes#hold-everyone-back-after-a-429":
    "backoff, exponential backoff, circuit breaker, retry, provider, pause, provider told us to slow down, provider blocks us, API says too many requests, wait until the provider accepts again, pause all workers, API is down, overloaded provider, pause outgoing calls, Shopify answered 429, rate limited by Google, they block us, cool off, respect Retry-After, stop jobs that are queued, requeue, stop what is already queued, clear the queue",
  "docs/recipes#a-refund-when-a-job-fails":
    "refund, give back, failed job, upload fails, generation fails, give the token back, crashed, not pay for an error, do not charge when it fails, took too long, broken result, give credits back, job crashed, failed render, error of the provider",
  "docs/recipes#a-usage-page":
    "usage bar, show when quota resets, stale query, usage page, quota left, remaining, progress bar, meter, how many are left, requests left, balance of a user, account page, billing usage, current usage, show usage, dashboard for users, time until reset, next reset date, resets in, how many left, remaining credits, allowance, used so far, how much is left, progress bar of the month, banner, left this month, credits left, see how many remain, how many answers remain, show credits, days until renewal, header with credits, who used most this week, per day, per month, per user, report, usage report, usage history, statistics per user, last month, past usage, audit, how much each user used, billing report, export usage, over time, chart per user, past months, who used how much",
  "docs/recipes#uploads-in-bytes-a-day":
    "upload, uploads, upload size, limit upload size, bytes per day, file upload, file size, avatar upload, image upload, bytes, bandwidth, storage bandwidth, generateUploadUrl, upload URL, megabytes, big files, traffic, megabytes a day, gigabytes, photos, videos, attachments, PDF, CSV, storage per user, disk space, large file",
  "docs/sharing#a-floor-for-each-class":
    "priority, reserved share, paying users first, priority queue, paid users first, paid users before free users, free users use up what paying users need, free users leave some for paying users, keep some for, reserve for paying customers, important calls first, background work gives way, batch jobs must not disturb, live users first, emergency, VIP lane, nightly batch must not eat the quota, never wait behind free users, premium customers first",
  "docs/sharing#a-fair-share-for-each-tenant":
    "fair, fairness, fair share, tenants, noisy neighbor, neighbour, starvation, big customers slow down small ones, one customer takes everything, hog, chatty room, slows all others, monopolise, everybody gets the same, split a quota among customers, divide, equally, one account uses all",
  "docs/recipes#ten-free-answers-ever":
    "user buys tokens twice, credit pack, webhook delivered twice, webhook comes twice, purchase, wallet, trial, lifetime, once, free credits, credits, credit packs, buy credits, top up, prepaid, in total, total, once per account, free tries, samples, free images, never refills, freemium, welcome bonus, coins, gems, payment webhook, charged twice by Stripe, event id, unlock after payment, gift, demo account, never again, five times in all, homework",
  "docs/recipes#wait-for-a-free-place":
    "poll, wait in line, busy, waiting list, queue position, all places taken, all slots busy, retry later, waits for a slot, capacity is full, all machines busy, try again by itself",
  "docs/reservations":
    "queue, delay, backpressure, wait, job, cron, batch, newsletter, webhook, pace, slow down instead of denying, wait instead of an error, delay instead of deny, spread out, smooth, even out, queue length, maximum queue size, one after another, one by one, in order, later, not refuse, in line, do it later, jobs in line, put in line, slow him down instead, make calls wait, even pace, drip feed, stop sending, cancel a newsletter",
  "docs/reservations#not-a-fair-queue": "workpool, FIFO, order",
  "docs/scaling":
    "sharding, OCC, write conflict, contention, hot row, performance, throughput, high traffic, retry after write conflicts, retries, OptimisticConcurrencyControl, scale, 1000 rps, requests per second, QPS, optimistic concurrency control, flash sale, ticket sale, hot key, benchmarks, load, retry a mutation, retried mutations, hot document, retry mutation, many users, retries of mutations, fails under load, fails for good, conflict error, lags, everybody at the same time, goes viral, launch day, peak, thousands of users at once, big event, write conflicts, concert, Black Friday sale, stampede, everybody clicks at once, slow under load, mutation keeps failing, thousands vote at once, keeps failing under load",
  "docs/stability":
    "versions, compatibility, semver, breaking changes, support, Node, license, changelog, Docker, production ready, mature, stable release, version 1, will it be maintained, updates",
  "docs/stability#the-day-you-leave":
    "uninstall, remove, lock-in, vendor, stop using the package, get rid of it, another package, without losing data, switch away",
  "docs/testing":
    "vitest, convex-test, mock, fake timers, unit test, CI, end-to-end tests, Playwright, test mode, without waiting a minute, move the clock, jump ahead, time travel, test my mutation, whole month, skip time, jest, simulate a day, assert a denial",
  "docs/testing#switch-the-limits-off":
    "turn off on staging, disable in development, local development, turn off, bypass, dev and prod, development and production, staging, preview, environments, different limits, load test, disable locally, seed, preview deployment, local backend, Docker, benchmark, skip in CI, skip limits in CI, tests fail because of the limit, tests are denied, demo mode, staging without limits, for developers",
  "docs/calls#take-tokens-limit":
    "vector search, image generation, actions without transactions, action, embedding, internal action, RAG, throw or return, minimum balance, keep some, as many as possible, partial grant, expensive and cheap calls, costs more, cost double, weight, weighted, heavier, points, several tokens for one call, leave something for others, count words, count characters, count pages, as many rows as are allowed, part of what was asked, by size, a video costs ten credits, credits per call, price list of actions, different prices, big request counts more, take several, tokens back, how long until, what does it answer",
  "docs/reservations#a-third-partys-hard-cap":
    "calls a second, at most 5 times a second, call an API slowly, Stripe API, third-party API, external API, API rate limit, provider's API, Gmail API, GitHub API, Shopify API, Slack API, OpenAI API, outgoing requests, throttle outgoing, crawler, scrape a website, webhook delivery, Svix, API quota, Gmail API quota, call the Slack API, Notion API, Discord API, 3 requests per second, sync, call the Discord API, two workers share one API key, workers, share an API key, several workers, allowed by the provider, cancel a job, cancel a mail, cancel what waits, HubSpot, Salesforce, Airtable, Google Sheets, Zendesk, Jira, Twitter, Instagram, quota of their API, nightly import, nightly sync, backfill, never more than 30 a minute, partner API, supplier, carrier, payment provider",
  "docs/overrides":
    "without a deploy, without deploying, at run time, change a limit, change limits, change limits live, raise a limit, setOverride",
  "docs/protection#failing-open-on-purpose":
    "what if the component fails, fail open, outage, fallback, the component fails, the limiter fails, component is down, must never break my app, let everybody through",
  "docs/react#a-countdown-on-a-button":
    "wait and retry in the client, retry in the browser, loading, spinner, disable send button, tell the user when they can post again, grey button, greyed out, seconds left, try again in, timer, enable the button again, seconds on the button, cooldown in the interface",
  "docs/calls#limit-reads-in-a-query":
    "queries, subscription, websocket, read limit, reads, what a query returns, reading too much, limit a list, logged out visitor reads, page views, paywall, articles per month",
  "docs/troubleshooting#errors":
    "Cannot find name 'process', process.env, process, TS2580, @types/node, red underline, ExceedsCapacity, RateLimited, ConvexError, error message, toast, show an error to the user, catch in the browser, error handling, catch RateLimited, translate an error, component not found, type error, which errors can it throw, exceptions, OptimisticConcurrencyControlFailure",
  "docs/troubleshooting":
    "quota exceeded, rate limited, error, denied, not working, debug, undefined, works locally, in production",
  "docs/holds#several-limits-all-or-none":
    "spend cap in dollars, monthly budget, cost cap, 20 dollars a month, euros, cents, dollars per team, tokens and dollars together, cost and count together",
  "docs/limits#a-config-with-the-call":
    "dynamic limit, limits from a table, config in the database, numbers from my database, each customer sets their own limit, configurable by customers, settings page",
  "docs/recipes#a-mail-at-80":
    "email when the quota is almost used, notify a user, almost used up, 90%, warn before the limit, soft limit, grace, warn customers before they run out, running low, almost empty, nearly used up, heads-up, banner",
  "docs/reservations#mails-at-10-a-second-for-hours":
    "newsletter to all users, email campaign, mass mail, batch, bulk email, push notifications, Resend, SendGrid, Postmark, Gmail, drip, invoices to thousands of customers, ten thousand mails, mail provider, push messages, notify all users, announcement to everybody, reminders, weekly digest",
  "docs/privacy#what-is-stored":
    "storage, cleanup, old rows, how long, hash a key, encrypt, where is data stored, IP addresses stored, what is written about my users, how long is it kept, compliance, EU, lawyers",
  "docs/holds#with-convexs-agent-component":
    "AI agent, tool calls, tool call, Vercel AI SDK",
  "docs/calls#give-back-and-charge":
    "gift tokens, bonus, add tokens, subtract tokens, undo, overdraft, debt, negative balance, into the red, in the red, owe, minus, below zero, overdraw, extra tries, ten more tries, compensate, goodwill, support gives, correct a mistake, take back, extra charge, charge later, fine, penalty points",
  "docs/calls#ask-without-taking-check":
    "peek, preview, without consuming, is there enough left, allowed to, find out before, cheap model instead, would it be allowed, look first, dry check, test without using up",
  "docs/cost#what-a-call-reads-and-writes":
    "reads and writes, reads of a call, writes of a call, reads a call makes, database size, rows, table size, is a denied call written, database writes of a denial",
  "docs/limits#every-field":
    "precision, fractions, decimals, options, cap the debt, into the red, how deep, settings, parameters, defaults",
  "docs/operators#count-grants-and-denials":
    "chart, graph, count denials, how many were refused, refused, success rate, how often refused, how often it refused people, last hour, per hour, percentage denied, numbers for a report",
  "docs/overrides#ban-for-longer-each-time":
    "escalating bans, strikes, strike system, repeat offenders, spammer, second offence, first warning, three strikes, next time longer, keeps coming back, comes back after a ban",
  "docs/protection#what-else-it-does-not-stop":
    "maximum 5 devices, max devices, number of projects, seats, seat limit, max items, storage quota, how many rooms, how many projects, at most ten items, own at most, maximum number of rows, own three projects, members per team",
  "start#pitfalls":
    "failed mutation, mutation failed, failed mutations still count, mutation throws, error in a mutation, count failed calls, thundering herd, jitter, retry storm, mistakes",
  "start#install":
    "pnpm, yarn, bun, monorepo, JavaScript, without TypeScript, plain JavaScript, own package, component that I publish",
  "docs/troubleshooting#symptoms":
    "push fails, schema validation, always denied, never denies, works locally but not in production, everyone is blocked, blocks everybody, wrong person is blocked, blocked for no reason, does not reset, denied too early, counts twice, stuck, nothing happens, limit does nothing, always allowed, wrong count, does not work",
  "docs/cost#code": "bundle size, cold start, memory",
  "docs/migrating-others": "switch from Redis, replace, move from",
  "docs/operators#list-the-keys-in-use":
    "who used most, biggest users, heavy users, power users, top users, who is near the limit, nearly empty, close to the limit, almost at the limit, who is at the limit now, table of users, overview of users",
  "docs/recipes#fewer-at-night":
    "weekend, office hours, time of day, peak hours, rush hour, busy hours, night and day, schedule a limit, happy hour, Sundays, weekdays, working hours",
  "docs/recipes#what-the-provider-says-is-left":
    "share one API key with another app, other program uses the same key, X-RateLimit-Remaining",
  "docs/recipes#new-users-start-with-fewer":
    "newcomers, new accounts, trust, ramp up, warm up, start small, probation, first day, karma, reputation, throwaway accounts, fresh accounts, unverified users",
  "docs/calls#a-failed-mutation-does-not-count":
    "keep the tokens when the mutation throws, rolled back, undone, error afterwards",
  "docs/calls#read-the-balance-getvalue":
    "how many tokens are left on the server, current balance, balance in a query",
  "docs/limits#a-window-that-starts-at-the-first-request":
    "five hours, like ChatGPT, like Claude, session limit, from the first message, every four hours, treasure chest, daily bonus, energy, lives in a game",
  "docs/react#what-a-browser-may-choose":
    "trust the browser, cheat, tamper, devtools, manipulate",
  "docs/scaling#which-limit-is-hot":
    "bottleneck, which limit is slow, slowest limit, find conflicts, hot spot",
  "docs/privacy#forget-a-key":
    "user deleted the account, clean up, clean up after a user, erase on request, right to erasure",
  "docs/migrating-others#from-ratelimit-of-convex-helpers":
    "old rate limit tables, convex-helpers tables",
  "docs/keys#never-key-on-what-may-be-absent":
    "forgot to pass the user id, all are blocked together, missing key, undefined key",
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
  fair: "docs/sharing#a-fair-share-for-each-tenant",
  tenant: "docs/sharing#a-fair-share-for-each-tenant",
  priority: "docs/sharing#a-floor-for-each-class",
  workpool: "docs/reservations#not-a-fair-queue",
  backoff: "docs/recipes#hold-everyone-back-after-a-429",
  quota: "docs/limits",
  "brute force": "docs/recipes#failed-logins",
  stripe: "docs/recipes",
  export: "docs/recipes",
  otp: "docs/recipes#password-resets-codes-and-invitations-by-email",
  invite: "docs/recipes#password-resets-codes-and-invitations-by-email",
  "limit password resets by email and IP":
    "docs/recipes#password-resets-codes-and-invitations-by-email",
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
  "give a customer more for a day":
    "docs/overrides#ban-exempt-or-change-a-limit",
  unban: "docs/overrides#ban-exempt-or-change-a-limit",
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
  "limit a query": "docs/calls#limit-reads-in-a-query",
  "admin bypass": "docs/overrides#ban-exempt-or-change-a-limit",
  "unlimited for admins": "docs/overrides#ban-exempt-or-change-a-limit",
  "export personal data": "docs/privacy",
  "file uploads": "docs/recipes#uploads-in-bytes-a-day",
  "bulk insert": "docs/limits#the-numbers",
  "typing indicator": "docs/limits#the-numbers",
  "rolling 24 hours": "docs/limits#the-kinds",
  "weekly limit starting monday": "docs/limits#calendar-windows",
  "rename a limit": "docs/limits#changing-a-limit-that-is-in-use",
  "monthly quota in user's time zone":
    "docs/recipes#a-day-in-the-users-time-zone",
  "multi-tenant": "docs/sharing#a-fair-share-for-each-tenant",
  "incoming webhooks": "docs/http#an-http-action-with-headers",
  "custom error page": "docs/http#by-hand",
  "X-RateLimit headers": "docs/http#by-hand",
  "Better Auth": "docs/http#better-auth",
  "forgot password":
    "docs/recipes#password-resets-codes-and-invitations-by-email",
  "login attempts": "docs/recipes#failed-logins",
  "signup abuse": "docs/recipes#anonymous-visitors",
  "Next.js server actions": "docs/recipes#you-call-convex-from-your-own-server",
  "how many requests left": "docs/recipes#a-usage-page",
  "buy more credits": "docs/recipes#ten-free-answers-ever",
  Clerk: "docs/keys#users-with-clerk-auth0-or-convex-auth",
  "per API key quotas": "docs/keys",
  "global limit across all users": "docs/keys",
  "retry after write conflicts": "docs/scaling",
  "migrate from @convex-dev/rate-limiter": "docs/migrating",
  "use in my own component": "docs/limits#more-than-one-limiter",
  "show error message to the user": "docs/troubleshooting#errors",
  "log who was rate limited": "docs/operators#log-denials",
  "component is down": "docs/protection#failing-open-on-purpose",
  "max 3 concurrent jobs per user": "docs/holds#limit-what-runs-at-once",
  "streaming chat response": "docs/holds#stream-an-answer",
  "limit by email":
    "docs/recipes#password-resets-codes-and-invitations-by-email",
  "Discord bot": "docs/keys",
  "Telegram bot": "docs/keys",
  GraphQL: "docs/http",
  "Retry-After header": "docs/http",
  "per minute and per day": "docs/calls#several-limits-at-once",
  "search as you type": "docs/limits#the-numbers",
  "limit file size": "docs/recipes#uploads-in-bytes-a-day",
  "delay between calls": "docs/limits#the-numbers",
  "prevent double submit": "docs/limits#the-numbers",
  "reset at midnight": "docs/limits#calendar-windows",
  "limit per room": "docs/keys",
  "service accounts": "docs/keys",
  "Convex Auth": "docs/keys#users-with-clerk-auth0-or-convex-auth",
  "behind a VPN": "docs/keys#ip-addresses",
  "reset on plan upgrade": "docs/recipes#plans-in-my-users-table",
  "different limits by role": "docs/recipes#plans-in-my-users-table",
  "premium users": "docs/recipes#plans-in-my-users-table",
  "usage based pricing": "docs/recipes#included-then-pay-per-use",
  "email when quota almost used": "docs/recipes#a-mail-at-80",
  "show remaining credits": "docs/recipes#a-usage-page",
  "time until reset": "docs/recipes#a-usage-page",
  "prevent spam accounts": "docs/recipes#anonymous-visitors",
  "SMS cost": "docs/recipes#password-resets-codes-and-invitations-by-email",
  "one vote per user": "docs/recipes#ten-free-answers-ever",
  "trial credits": "docs/recipes#ten-free-answers-ever",
  "refund tokens": "docs/recipes#a-refund-when-a-job-fails",
  "monthly budget": "docs/holds#several-limits-all-or-none",
  "spend cap in dollars": "docs/holds",
  "limit AI chat messages": "docs/holds",
  "idempotency key": "docs/holds",
  "one job at a time": "docs/holds#limit-what-runs-at-once",
  "concurrent uploads": "docs/holds#limit-what-runs-at-once",
  "tool calls": "docs/holds#with-convexs-agent-component",
  "bulk email": "docs/reservations#mails-at-10-a-second-for-hours",
  "Notion API 3 requests per second":
    "docs/reservations#a-third-partys-hard-cap",
  "web crawler": "docs/reservations#a-third-partys-hard-cap",
  "job queue": "docs/reservations",
  "limit reads": "docs/calls#limit-reads-in-a-query",
  "protect all functions": "docs/calls#guard-a-function",
  "clear all limits": "docs/calls#start-afresh-reset",
  "change limit at runtime": "docs/overrides",
  "whitelist my IP": "docs/overrides",
  "strike system": "docs/overrides#ban-for-longer-each-time",
  "ban a country": "docs/protection#floods",
  "max items per user": "docs/protection#what-else-it-does-not-stop",
  "cost per call": "docs/cost",
  "cold start": "docs/cost#code",
  "scale to 1000 rps": "docs/scaling",
  "optimistic concurrency control": "docs/scaling",
  "top offenders": "docs/operators",
  Sentry: "docs/operators#log-denials",
  "disable send button": "docs/react#a-countdown-on-a-button",
  Vue: "docs/react",
  "test with vitest": "docs/testing",
  "switch from Redis": "docs/migrating-others",
  "always denied": "docs/troubleshooting",
  "why not a counter": "docs/comparison",
  // What new users typed, or would.
  upload: "docs/recipes#uploads-in-bytes-a-day",
  "limit upload size bytes per day": "docs/recipes#uploads-in-bytes-a-day",
  ping: "docs/limits#the-numbers",
  presence: "docs/limits#the-numbers",
  "per organization": "docs/calls#several-limits-at-once",
  "Cannot find name 'process'": "docs/troubleshooting#errors",
  "avatar upload": "docs/recipes#uploads-in-bytes-a-day",
  "credit packs": "docs/recipes#ten-free-answers-ever",
  "user buys tokens twice": "docs/recipes#ten-free-answers-ever",
  "webhook delivered twice": "docs/recipes#ten-free-answers-ever",
  "switch plan mid month": "docs/recipes#plans-in-my-users-table",
  "downgrade to free": "docs/recipes#plans-in-my-users-table",
  "newsletter to all users": "docs/reservations#mails-at-10-a-second-for-hours",
  "email campaign": "docs/reservations#mails-at-10-a-second-for-hours",
  "usage bar": "docs/recipes#a-usage-page",
  "show when quota resets": "docs/recipes#a-usage-page",
  "user signs in again": "docs/keys#users-with-clerk-auth0-or-convex-auth",
  "gift card codes": "docs/recipes#failed-logins",
  "guess a coupon code": "docs/recipes#failed-logins",
  "kick a user": "docs/overrides#ban-exempt-or-change-a-limit",
  "shadow ban": "docs/overrides#ban-exempt-or-change-a-limit",
  "turn off limits on staging": "docs/testing#switch-the-limits-off",
  "user closed the tab": "docs/holds#stream-an-answer",
  "worker died": "docs/holds#limit-what-runs-at-once",
  "company wide limit": "docs/calls#several-limits-at-once",
  "maximum 5 devices": "docs/protection#what-else-it-does-not-stop",
  // Tasks of newcomers, written down before they were searched.
  "stop users spamming my chat": "start",
  "call Stripe at most 5 times a second":
    "docs/reservations#a-third-partys-hard-cap",
  "fake the clock in a test": "docs/testing",
  "how many reads and writes does a call make": "docs/cost",
  "bots creating accounts": "docs/recipes#anonymous-visitors",
  "allowlist an office IP": "docs/overrides#ban-exempt-or-change-a-limit",
  "try a new limit without blocking anyone": "docs/overrides#dry-runs",
  "unblock a customer": "docs/overrides#ban-exempt-or-change-a-limit",
  // Names of the API: guides come first, and the reference is there too.
  useRateLimit: "docs/react",
  setOverride: "docs/overrides",
  schedule: "docs/reservations",
  forget: "docs/privacy",
};

/**
 * What is read of a section: its synonyms, its text with them, and its samples, as `searchable` has
 * marked them. The browser gets this as text, and what follows: they use nothing from around them.
 */
export const indexOptions = {
  fields: ["title", "titles", "words", "text", "code"],
  extractField: (section: Record<string, string>, field: string) => {
    const text = section["text"] ?? "";
    if (field === "words") return text.match(/\uE000.*?\uE000/gs)?.join(" ");
    if (field === "code") return text.match(/\uE001.*?\uE001/gs)?.join(" ");
    if (field === "text") return text.replaceAll(/\uE001.*?\uE001/gs, " ");
    return section[field];
  },
};

/** How the site searches. */
export const searchOptions = {
  prefix: (term: string) => term.length > 2,
  fuzzy: (term: string) => (term.length > 4 ? 0.15 : false),
  // Words that say nothing of what is sought.
  processTerm: (term: string) =>
    /^(a|about|across|after|all|also|am|an|and|any|anybody|anyone|are|as|at|be|because|been|but|by|can|convex|could|did|do|does|doing|don|each|else|even|every|everybody|everyone|for|from|get|gets|getting|go|goes|going|got|had|has|have|he|her|him|his|how|i|if|in|into|is|it|its|itself|just|know|let|lets|like|limit|limiter|limiting|limits|look|made|make|many|may|me|might|more|must|my|no|nobody|not|nothing|of|on|once|only|or|our|people|per|rate|really|same|see|she|should|so|some|somebody|someone|something|such|than|that|the|their|them|then|there|these|they|thing|things|this|those|through|to|too|us|vs|want|wants|was|way|we|were|what|when|whether|which|while|who|whom|whose|will|with|without|would|yet|you|your)$/i.test(
      term,
    )
      ? null
      : term.toLowerCase(),
  // Words that say little.
  boostTerm: (term: string) =>
    /^(add|after|again|another|back|before|call|called|calls|close|day|days|down|end|find|first|five|free|give|given|keep|last|later|long|more|most|move|much|new|next|now|off|one|open|out|over|own|part|place|put|run|runs|send|set|share|show|side|start|starts|stop|take|takes|ten|three|time|times|turn|twice|two|under|up|use|used|uses|using|work|works)$/.test(
      term,
    )
      ? 0.2
      : 1,
  boost: { title: 4, text: 2, words: 1, titles: 1, code: 0.3 },
  // Guides come before what compares packages, then the reference, then what changed.
  boostDocument: (id: string) => {
    if (/comparison/.test(id)) return 0.4;
    if (/migrating-others/.test(id)) return 0.8;
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
    text = text.replace(
      heading,
      (found) => `${found}<p>\uE000 ${words} \uE000</p>`,
    );
  }
  return text.replaceAll(
    /<pre.*?<\/pre>/gs,
    (sample) => `\uE001 ${sample} \uE001`,
  );
}
